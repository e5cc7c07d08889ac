package io.stele.connector.write;

import static io.trino.type.InternalTypeManager.TESTING_TYPE_MANAGER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.airlift.units.DataSize;
import io.airlift.units.DataSize.Unit;
import io.stele.columnfile.metadata.FileMetadata;
import io.stele.columnfile.metadata.FileMetadataBytes;
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
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.trino.spi.TrinoException;
import io.trino.spi.predicate.TupleDomain;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a scan reads of a file whose key index has its metadata, with its checksums. */
final class TestIndexedFiles {
    private static final String PATH = "data/7/0/a.orc";
    private static final String INDEX = "data/7/0/a.idx";
    private static final int COLUMN = 3;
    private static final ScanCaches ALL = ScanCaches.all(CacheUse.FILL);
    private static final ScanCaches NO_FOOTERS = new ScanCaches(CacheUse.FILL, false, true);
    private static final long ENOUGH = 8 << 20;

    @TempDir private Path directory;

    private final TrinoTypes types = new TrinoTypes(TESTING_TYPE_MANAGER);
    private final NotedReads store = new NotedReads(new InMemoryObjectStore());

    /** Of two stripes. */
    private BigintFile large() throws IOException {
        BigintFile file = BigintFile.write(store, PATH, 20, 48, types);
        return indexed(file, file.summary().metadata());
    }

    private BigintFile small() throws IOException {
        BigintFile file = BigintFile.write(store, PATH, 4, 2, types);
        assertThat(file.sizeBytes()).isLessThan(1 << 20);
        return indexed(file, file.summary().metadata());
    }

    private BigintFile indexed(BigintFile file, FileMetadataBytes metadata) throws IOException {
        BigintFile indexed =
                file.indexed(store, new FileMetadata(file.summary().checksums(), metadata));
        assertThat(store.list("")).hasSize(2);
        store.take();
        return indexed;
    }

    private FileMetadataCache cache(long maxBytes) {
        return new FileMetadataCache(_ -> store, _ -> Optional.empty(), maxBytes);
    }

    private FilePageSources sources(FileMetadataCache fileMetadata, ObjectStore from) {
        return new FilePageSources(
                fileMetadata,
                new DecodedColumnCache(0),
                new FileBitmapIndexes(from),
                types,
                Runnable::run);
    }

    private FilePageSources sources(FileMetadataCache fileMetadata) {
        return sources(fileMetadata, store);
    }

    private FilePageSources sources(DataCache pages) {
        ObjectStore cached = pages.over(store, WarmingPolicy.NOTHING);
        return sources(new FileMetadataCache(_ -> cached, _ -> Optional.empty(), ENOUGH), cached);
    }

    private static void assertSum(BigintFile file, FilePageSources sources, ScanCaches caches)
            throws Exception {
        assertThat(file.scan(sources, COLUMN, caches)).isEqualTo(file.sum(COLUMN));
    }

    /**
     * Without it five requests come before the values: checksums, the end, and of each stripe two.
     */
    @Test
    void oneRequestComesBeforeTheValues() throws Exception {
        BigintFile file = large();
        FileMetadataCache fileMetadata = cache(ENOUGH);
        FilePageSources sources = sources(fileMetadata);
        assertSum(file, sources, ALL);
        List<String> first = store.take();
        assertThat(first).as("the end of the index, and a column of two stripes").hasSize(3);
        assertThat(first.getFirst()).startsWith(INDEX);
        assertThat(fileMetadata.statistics().misses()).isOne();
        assertSum(file, sources, ALL);
        assertThat(store.take()).hasSize(2).isEqualTo(first.subList(1, 3));
        assertThat(fileMetadata.statistics().misses()).isOne();
    }

    @Test
    void aSmallFileIsTwoRequests() throws Exception {
        BigintFile file = small();
        FilePageSources sources = sources(cache(ENOUGH));
        assertSum(file, sources, ALL);
        assertThat(store.take())
                .hasSize(2)
                .contains(PATH + " 0 " + file.sizeBytes())
                .anyMatch(read -> read.startsWith(INDEX));
        assertSum(file, sources, ALL);
        assertThat(store.take()).isEmpty();
    }

    @Test
    void withoutACacheOfFootersTheFileHasThem() throws Exception {
        BigintFile file = large();
        FileMetadataCache fileMetadata = cache(ENOUGH);
        FilePageSources sources = sources(fileMetadata);
        assertSum(file, sources, NO_FOOTERS);
        List<String> first = store.take();
        assertThat(first).filteredOn(read -> read.startsWith(INDEX)).hasSize(1);
        assertSum(file, sources, NO_FOOTERS);
        assertThat(store.take())
                .as("all but the checksums")
                .isEqualTo(first.subList(1, first.size()));
        assertThat(fileMetadata.statistics().entries()).isZero();
    }

    @Test
    void whatDoesNotFitIsReadAgain() throws Exception {
        BigintFile file = large();
        for (long maxBytes : new long[] {0, 12_000}) {
            FilePageSources sources = sources(cache(maxBytes));
            for (int round = 0; round < 3; round++) {
                assertSum(file, sources, ALL);
                assertThat(store.take())
                        .as(
                                "of the index, and of each stripe index and footer twice and its column")
                        .hasSizeLessThanOrEqualTo(11)
                        .filteredOn(read -> read.startsWith(INDEX))
                        .hasSizeLessThanOrEqualTo(1);
            }
        }
    }

    /** As where all metadata are too long for the index. */
    @Test
    void withTheChecksumsAloneTheFileHasTheRest() throws Exception {
        BigintFile file =
                indexed(BigintFile.write(store, PATH, 20, 48, types), new FileMetadataBytes());
        FilePageSources sources = sources(cache(ENOUGH));
        assertSum(file, sources, ALL);
        List<String> first = store.take();
        assertThat(first).as("index, end, two of each stripe, values").hasSize(8);
        assertSum(file, sources, ALL);
        assertThat(store.take()).hasSize(2);
    }

    @Test
    void aFileThatIsOpenedAheadIsOneRequest() throws Exception {
        BigintFile file = large();
        try (DataCache pages = pages()) {
            FilePageSources sources = sources(pages);
            file.openAhead(sources, TupleDomain.all(), ALL);
            assertThat(store.take()).hasSize(1).allMatch(read -> read.startsWith(INDEX));
            assertSum(file, sources, ALL);
            assertThat(store.take()).as("a column in each stripe").hasSize(2);
        }
    }

    /** Also through pages a scan fetches no row indexes that it has. */
    @Test
    void oneRequestComesBeforeTheValuesThroughPages() throws Exception {
        BigintFile file = large();
        try (DataCache pages = pages()) {
            FilePageSources sources = sources(pages);
            assertSum(file, sources, ALL);
            List<String> reads = store.take();
            assertThat(reads).as("the end of the index, and a column of two stripes").hasSize(3);
            assertThat(reads.getFirst()).startsWith(INDEX);
        }
    }

    /** The file is fetched while its metadata are read. */
    @Test
    void aSmallFileIsFetchedAtOnce() throws Exception {
        BigintFile file = small();
        try (DataCache pages = pages()) {
            FilePageSources sources = sources(pages);
            assertSum(file, sources, ALL);
        }
        List<String> reads = store.take();
        assertThat(reads).hasSize(2);
        assertThat(reads.getFirst()).as("begun first").isEqualTo(PATH + " 0 " + file.sizeBytes());
        assertThat(reads.getLast()).startsWith(INDEX);
    }

    private DataCache pages() throws IOException {
        return DataCache.open(
                new DataCacheConfig()
                        .setDirectories(List.of(directory.resolve("pages").toString()))
                        .setMaxSizes(List.of(DataSize.of(128, Unit.MEGABYTE)))
                        .setPageSize(DataSize.of(64, Unit.KILOBYTE)),
                System::nanoTime,
                new Random(1),
                Runnable::run);
    }

    @Test
    void damagedMetadataAreToldAndNotKept() throws Exception {
        BigintFile file = large();
        byte[] good = store.readFully(INDEX);
        byte[] bad = good.clone();
        bad[bad.length - file.metadataBytes() + 50] ^= 1;
        store.put(INDEX, bad);
        FileMetadataCache fileMetadata = cache(ENOUGH);
        FilePageSources sources = sources(fileMetadata);
        for (ScanCaches caches : List.of(ALL, NO_FOOTERS)) {
            assertThatThrownBy(() -> file.scan(sources, COLUMN, caches))
                    .isInstanceOf(TrinoException.class)
                    .hasMessageContaining("checksum")
                    .hasMessageContaining(INDEX)
                    .hasMessageContaining("offset");
        }
        assertThat(fileMetadata.statistics().entries()).isZero();
        store.put(INDEX, good);
        assertSum(file, sources, ALL);
    }

    @Test
    void valuesAreChecked() throws Exception {
        BigintFile file = large();
        byte[] bad = store.readFully(PATH);
        for (int at = 100; at < bad.length; at += 32 << 10) {
            bad[at] ^= 1;
        }
        store.put(PATH, bad);
        assertThatThrownBy(() -> file.scan(sources(cache(ENOUGH)), COLUMN, ALL))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("checksum")
                .hasMessageContaining(PATH);
    }

    @Test
    void whatAWorkerWritesNamesItsObjects() {
        assertThat(WrittenFile.keyIndexPath(PATH)).isEqualTo(INDEX);
    }
}
