package io.stele.connector.write;

import static io.trino.type.InternalTypeManager.TESTING_TYPE_MANAGER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.airlift.units.DataSize;
import io.airlift.units.DataSize.Unit;
import io.stele.columnfile.metadata.FileChecksums;
import io.stele.columnfile.metadata.FileMetadata;
import io.stele.connector.read.cache.DecodedColumnCache;
import io.stele.connector.read.file.FileMetadataCache;
import io.stele.connector.read.opening.FilePageSources;
import io.stele.connector.read.opening.ScanCaches;
import io.stele.connector.read.prune.FileBitmapIndexes;
import io.stele.connector.sidecar.CacheUse;
import io.stele.connector.type.TrinoTypes;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.cached.DataCache;
import io.stele.objectstore.cached.DataCacheConfig;
import io.stele.objectstore.cached.WarmingPolicy;
import io.stele.protocol.api.write.WrittenFile;
import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.predicate.TupleDomain;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a scan reads of a file beside the values of its columns. */
final class TestFileMetadataCache {
    private static final String PATH = "data/7/0/a.orc";
    private static final int COLUMNS = 20;
    private static final int PAGES = 48;
    private static final int COLUMN = 3;
    private static final ScanCaches ALL = ScanCaches.all(CacheUse.FILL);
    private static final long ENOUGH = 8 << 20;

    @TempDir private Path directory;

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final TrinoTypes types = new TrinoTypes(TESTING_TYPE_MANAGER);
    private final NotedReads store = new NotedReads(new InMemoryObjectStore());
    private BigintFile file;

    @BeforeEach
    void write() throws IOException {
        file = BigintFile.write(store, PATH, COLUMNS, PAGES, types);
        assertThat(file.sizeBytes()).as("two stripes").isGreaterThan(20 << 20);
        store.take();
    }

    @AfterEach
    void end() {
        executor.close();
    }

    private FilePageSources sources(
            ObjectStore from, FileMetadataCache fileMetadata, DecodedColumnCache decodedColumns) {
        return new FilePageSources(
                fileMetadata, decodedColumns, new FileBitmapIndexes(from), types, Runnable::run);
    }

    private FilePageSources sources(long tailBytes) {
        return sources(
                store,
                new FileMetadataCache(_ -> store, _ -> Optional.empty(), tailBytes),
                new DecodedColumnCache(0));
    }

    private void keepWritten(FileMetadataCache fileMetadata) throws IOException {
        fileMetadata.written(
                PATH,
                file.sizeBytes(),
                FileChecksums.decode(
                        PATH,
                        file.sizeBytes(),
                        FileChecksums.BLOCK_BYTES,
                        WrittenFile.checksumsPath(PATH),
                        file.summary().checksums()),
                file.summary().metadata());
    }

    private void assertSum(FilePageSources sources, ScanCaches caches) throws Exception {
        assertThat(file.scan(sources, COLUMN, caches)).isEqualTo(file.sum(COLUMN));
    }

    @Test
    void theSecondScanReadsValuesAlone() throws Exception {
        FilePageSources sources = sources(ENOUGH);
        assertSum(sources, ALL);
        List<String> first = store.take();
        assertSum(sources, ALL);
        List<String> second = store.take();
        // Checksums, the end, and of two stripes index and footer
        assertThat(first).hasSize(second.size() + 6).containsAll(second);
        assertThat(second).as("a column in each stripe").hasSize(2);
    }

    @Test
    void whatWasWrittenHereIsReadForItsValuesAlone() throws Exception {
        FileMetadataCache fileMetadata =
                new FileMetadataCache(_ -> store, _ -> Optional.empty(), ENOUGH);
        keepWritten(fileMetadata);
        assertSum(sources(store, fileMetadata, new DecodedColumnCache(0)), ALL);
        assertThat(store.take()).hasSize(2).noneMatch(read -> read.contains(".sum"));
        assertThat(fileMetadata.statistics().misses()).isZero();
    }

    private byte[] sent() {
        return new FileMetadata(file.summary().checksums(), file.summary().metadata())
                .encode()
                .orElseThrow();
    }

    @Test
    void whatOthersWroteLatelyIsReadForItsValuesAlone() throws Exception {
        file = file.fresh();
        List<String> asked = new ArrayList<>();
        FileMetadataCache fileMetadata =
                new FileMetadataCache(
                        _ -> store,
                        path -> {
                            asked.add(path);
                            return Optional.of(sent());
                        },
                        ENOUGH);
        FilePageSources sources = sources(store, fileMetadata, new DecodedColumnCache(0));
        for (int round = 0; round < 2; round++) {
            assertSum(sources, ALL);
            assertThat(store.take()).hasSize(2).noneMatch(read -> read.contains(".sum"));
        }
        assertThat(asked).as("once").containsExactly(PATH);
        assertThat(fileMetadata.statistics().misses()).isZero();
        assertThat(fileMetadata.freshCount()).isOne();
    }

    /** Not there any more, damaged on the way, of another file, or the sidecar is away. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void whatCannotBeHadIsReadFromTheWarehouse(int trouble) throws Exception {
        file = file.fresh();
        byte[] damaged = sent();
        damaged[damaged.length / 2] ^= 1;
        BigintFile other = BigintFile.write(store, "data/7/0/c.orc", COLUMNS, 2, types);
        byte[] ofAnother =
                new FileMetadata(file.summary().checksums(), other.summary().metadata())
                        .encode()
                        .orElseThrow();
        store.take();
        List<String> asked = new ArrayList<>();
        FileMetadataCache fileMetadata =
                new FileMetadataCache(
                        _ -> store,
                        path -> {
                            asked.add(path);
                            return switch (trouble) {
                                case 0 -> Optional.empty();
                                case 1 -> Optional.of(damaged);
                                case 2 -> Optional.of(ofAnother);
                                default ->
                                        throw new TrinoException(
                                                StandardErrorCode.GENERIC_INTERNAL_ERROR, "away");
                            };
                        },
                        ENOUGH);
        FilePageSources sources = sources(store, fileMetadata, new DecodedColumnCache(0));
        assertSum(sources, ALL);
        assertThat(store.take()).as("as without").hasSize(8);
        assertSum(sources, ALL);
        assertThat(asked).hasSize(1);
        assertThat(fileMetadata.freshCount()).isZero();
    }

    @Test
    void nobodyIsAskedForOldFilesOrWithoutACache() throws Exception {
        FileMetadataCache fileMetadata =
                new FileMetadataCache(
                        _ -> store,
                        path -> {
                            throw new AssertionError("Asked for " + path);
                        },
                        ENOUGH);
        FilePageSources sources = sources(store, fileMetadata, new DecodedColumnCache(0));
        assertSum(sources, ALL);
        file = file.fresh();
        assertSum(sources, new ScanCaches(CacheUse.FILL, false, true));
        assertSum(sources, ALL); // what was read before is kept
    }

    @Test
    void aScanOfDecodedColumnsReadsNothing() throws Exception {
        FilePageSources sources =
                sources(
                        store,
                        new FileMetadataCache(_ -> store, _ -> Optional.empty(), ENOUGH),
                        new DecodedColumnCache(16 << 20));
        for (int round = 0; round < 2; round++) { // what is asked for twice is kept
            assertSum(sources, ALL);
        }
        assertThat(store.take()).isNotEmpty();
        assertSum(sources, ALL);
        assertThat(store.take()).isEmpty();
    }

    @Test
    void nothingIsKeptWhereThatIsNotWanted() throws Exception {
        FileMetadataCache fileMetadata =
                new FileMetadataCache(_ -> store, _ -> Optional.empty(), ENOUGH);
        FilePageSources sources = sources(store, fileMetadata, new DecodedColumnCache(0));
        ScanCaches noFooters = new ScanCaches(CacheUse.FILL, false, true);
        assertSum(sources, noFooters);
        int first = store.take().size();
        assertSum(sources, noFooters);
        assertThat(store.take()).as("all but the checksums").hasSize(first - 1);
        assertThat(fileMetadata.statistics().entries()).isZero();
    }

    @Test
    void whatDoesNotFitIsReadAgain() throws Exception {
        FileMetadataCache fileMetadata =
                new FileMetadataCache(_ -> store, _ -> Optional.empty(), 12_000);
        FilePageSources sources = sources(store, fileMetadata, new DecodedColumnCache(0));
        for (int round = 0; round < 3; round++) {
            assertSum(sources, ALL);
        }
        assertThat(fileMetadata.statistics().evictions()).isPositive();
        assertThat(fileMetadata.statistics().weightBytes()).isLessThanOrEqualTo(12_000);
    }

    @Test
    void aSmallFileIsReadAtOnce() throws Exception {
        file = BigintFile.write(store, "data/7/0/b.orc", 2, 2, types);
        assertThat(file.sizeBytes()).isLessThan(1 << 20);
        store.take();
        FilePageSources sources = sources(ENOUGH);
        assertThat(file.scan(sources, 1, ALL)).isEqualTo(file.sum(1));
        assertThat(store.take()).as("checksums and file").hasSize(2);
        assertThat(file.scan(sources, 0, ALL)).isEqualTo(file.sum(0));
        assertThat(store.take()).isEmpty();
    }

    /** At once, while its checksums are read. */
    @Test
    void aSmallFileIsOneRequestForAllItsPages() throws Exception {
        file = BigintFile.write(store, "data/7/0/b.orc", 2, 2, types);
        store.take();
        try (DataCache cache = cache()) {
            ObjectStore cached = cache.over(store, WarmingPolicy.NOTHING);
            FilePageSources sources =
                    sources(
                            cached,
                            new FileMetadataCache(_ -> cached, _ -> Optional.empty(), ENOUGH),
                            new DecodedColumnCache(0));
            assertThat(file.scan(sources, 1, ALL)).isEqualTo(file.sum(1));
        }
        assertThat(store.take())
                .as("checksums and file")
                .hasSize(2)
                .contains("data/7/0/b.orc 0 " + file.sizeBytes());
    }

    /** Bytes of footers are pages of the data cache, which a restart keeps. */
    @Test
    void aRestartCostsNoRequests() throws Exception {
        for (int restart = 0; restart < 2; restart++) {
            try (DataCache cache = cache()) {
                ObjectStore cached = cache.over(store, WarmingPolicy.NOTHING);
                assertSum(
                        sources(
                                cached,
                                new FileMetadataCache(_ -> cached, _ -> Optional.empty(), ENOUGH),
                                new DecodedColumnCache(0)),
                        ALL);
            }
            if (restart == 0) {
                assertThat(store.take()).isNotEmpty();
            } else {
                assertThat(store.take()).isEmpty();
            }
        }
    }

    /** What is read when a scan is planned is what it would read first, and not read again. */
    @Test
    void aFileThatWasOpenedAheadIsReadForItsValuesAlone() throws Exception {
        List<String> all;
        try (DataCache cache = cache("one", Runnable::run)) {
            assertSum(sourcesOver(cache), ALL);
            all = store.take();
        }
        try (DataCache cache = cache("two", Runnable::run)) {
            FilePageSources sources = sourcesOver(cache);
            file.openAhead(sources, TupleDomain.all(), ALL);
            List<String> ahead = store.take();
            assertThat(ahead).as("checksums, the end, and those of stripes").hasSizeBetween(4, 6);
            file.openAhead(sources, TupleDomain.all(), ALL);
            assertThat(store.take()).as("known by now").isEmpty();
            assertSum(sources, ALL);
            List<String> values = store.take();
            assertThat(values).as("a column in each stripe").hasSize(2);
            assertThat(Stream.concat(ahead.stream(), values.stream()))
                    .containsExactlyInAnyOrderElementsOf(all);
        }
    }

    @Test
    void stripesWithoutRowsOfAScanAreNotOpenedAhead() throws Exception {
        try (DataCache cache = cache("cache", Runnable::run)) {
            FilePageSources sources = sourcesOver(cache);
            file.openAhead(sources, TupleDomain.none(), ALL);
            assertThat(store.take()).isEmpty();
            file.openAhead(sources, file.firstColumnIs(Long.MAX_VALUE), ALL);
            assertThat(store.take()).as("checksums and the end").hasSize(2);
        }
    }

    /** Without pages there is nowhere to keep what is read ahead. */
    @Test
    void withoutPagesNothingIsOpenedAhead() {
        file.openAhead(sources(ENOUGH), TupleDomain.all(), ALL);
        assertThat(store.take()).isEmpty();
    }

    private FilePageSources sourcesOver(DataCache cache) {
        ObjectStore cached = cache.over(store, WarmingPolicy.NOTHING);
        return sources(
                cached,
                new FileMetadataCache(_ -> cached, _ -> Optional.empty(), ENOUGH),
                new DecodedColumnCache(0));
    }

    private DataCache cache() throws IOException {
        return cache("cache", executor);
    }

    private DataCache cache(String name, Executor tasks) throws IOException {
        return DataCache.open(
                new DataCacheConfig()
                        .setDirectories(List.of(directory.resolve(name).toString()))
                        .setMaxSizes(List.of(DataSize.of(128, Unit.MEGABYTE)))
                        .setPageSize(DataSize.of(64, Unit.KILOBYTE)),
                System::nanoTime,
                new Random(1),
                tasks);
    }

    @Test
    void aDamagedEndIsToldAndNotKept() throws Exception {
        byte[] content = store.readFully(PATH);
        byte[] damaged = content.clone();
        damaged[damaged.length - 3] ^= 1;
        store.delete(PATH);
        store.put(PATH, damaged);
        FileMetadataCache fileMetadata =
                new FileMetadataCache(_ -> store, _ -> Optional.empty(), ENOUGH);
        FilePageSources sources = sources(store, fileMetadata, new DecodedColumnCache(0));
        assertThatThrownBy(() -> file.scan(sources, COLUMN, ALL))
                .isInstanceOf(TrinoException.class)
                .hasMessageContaining("checksum")
                .hasMessageContaining(PATH);
        assertThat(fileMetadata.statistics().entries()).isZero();
        store.delete(PATH);
        store.put(PATH, content);
        assertSum(sources, ALL);
    }
}
