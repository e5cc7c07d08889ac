package io.stele.connector.write;

import static io.trino.type.InternalTypeManager.TESTING_TYPE_MANAGER;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.connector.read.cache.DecodedColumnCache;
import io.stele.connector.read.file.FileMetadataCache;
import io.stele.connector.read.opening.FilePageSources;
import io.stele.connector.read.opening.ScanCaches;
import io.stele.connector.read.prune.FileBitmapIndexes;
import io.stele.connector.sidecar.CacheUse;
import io.stele.connector.type.TrinoTypes;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.RoundsStore;
import io.stele.objectstore.retrieval.ReadingAhead;
import io.stele.protocol.api.status.ReadCounters;
import io.trino.plugin.base.metrics.LongCount;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import io.trino.spi.predicate.TupleDomain;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The requests of scans on a node without a data cache, and the rounds that they wait for. */
@Timeout(600)
final class TestScansWithoutDataCache {
    private static final String PATH = "data/7/0/a.orc";
    private static final ScanCaches ALL = ScanCaches.all(CacheUse.FILL);
    private static final ScanCaches NO_FOOTERS = new ScanCaches(CacheUse.FILL, false, true);

    private final TrinoTypes types = new TrinoTypes(TESTING_TYPE_MANAGER);
    private final RoundsStore store = new RoundsStore(new InMemoryObjectStore());
    private final ReadingAhead ahead = store.readingAhead().orElseThrow();

    private FilePageSources sources(long footerBytes, long columnBytes) {
        return new FilePageSources(
                new FileMetadataCache(_ -> store, _ -> Optional.empty(), footerBytes),
                new DecodedColumnCache(columnBytes),
                new FileBitmapIndexes(store),
                types,
                ahead.executor());
    }

    /** Of three stripes. */
    private BigintFile large() throws IOException {
        return BigintFile.write(store, PATH, 32, 48, types);
    }

    /** The sum of the first wanted column. */
    private static long scan(
            BigintFile file, FilePageSources sources, ScanCaches caches, int... columns)
            throws Exception {
        long sum = 0;
        try (ConnectorPageSource source = file.open(sources, columns, caches)) {
            while (!source.isFinished()) {
                source.isBlocked().get();
                SourcePage page = source.getNextSourcePage();
                if (page != null) {
                    sum += BigintFile.sum(page);
                    for (int channel = 1; channel < columns.length; channel++) {
                        assertThat(page.getBlock(channel).getPositionCount())
                                .isEqualTo(page.getPositionCount());
                    }
                }
            }
        }
        return sum;
    }

    /**
     * A scan with caches in memory that have nothing; again if a thread was slow, because rounds
     * are counted too high then.
     */
    private RoundsStore.Recorded<Long> firstScan(
            BigintFile file, ScanCaches caches, int mostRounds, int... columns) {
        RoundsStore.Recorded<Long> scan =
                store.record(() -> scan(file, sources(8 << 20, 0), caches, columns));
        for (int again = 0; again < 3 && scan.rounds() > mostRounds; again++) {
            scan = store.record(() -> scan(file, sources(8 << 20, 0), caches, columns));
        }
        assertThat(scan.rounds()).as("%s", scan.requests()).isEqualTo(mostRounds);
        assertThat(scan.result()).isEqualTo(file.sum(columns[0]));
        return scan;
    }

    /** Checksums and end of file; row indexes and footers; columns. Each was a round by itself. */
    @Test
    void allStripesAreRequestedTogether() throws Exception {
        BigintFile file = large();
        RoundsStore.Recorded<Long> first = firstScan(file, ALL, 3, 3);
        assertThat(first.requests()).as("2, 4 and 3").hasSizeLessThanOrEqualTo(9);
        assertThat(first.bytes()).isLessThan(file.sizeBytes() / 10);
        FilePageSources sources = sources(8 << 20, 0);
        assertThat(scan(file, sources, ALL, 3)).isEqualTo(file.sum(3));
        RoundsStore.Recorded<Long> second = store.record(() -> scan(file, sources, ALL, 4));
        assertThat(second.result()).isEqualTo(file.sum(4));
        assertThat(second.requests()).as("a column of three stripes").hasSize(3);
        assertThat(ahead.memory().usedBytes()).isZero();
        assertThat(ahead.balance().statistics().processors()).isZero();
    }

    @Test
    void aScanCountsItsRequests() throws Exception {
        assertRequestsAreCounted(_ -> {});
    }

    @Test
    void aScanCountsWhatWasFetchedAheadOfIt() throws Exception {
        BigintFile file = large();
        assertRequestsAreCounted(sources -> file.openAhead(sources, TupleDomain.all(), ALL));
    }

    private void assertRequestsAreCounted(Consumer<FilePageSources> first) throws Exception {
        BigintFile file = large();
        FilePageSources sources = sources(8 << 20, 0);
        AtomicReference<ReadCounters> counted = new AtomicReference<>(ReadCounters.NONE);
        RoundsStore.Recorded<Metrics> scan =
                store.record(
                        () -> {
                            first.accept(sources);
                            try (ConnectorPageSource source =
                                    file.open(sources, new int[] {3}, ALL, counted::set)) {
                                while (!source.isFinished()) {
                                    source.isBlocked().get();
                                    SourcePage page = source.getNextSourcePage();
                                    if (page != null) {
                                        BigintFile.sum(page);
                                    }
                                }
                                return source.getMetrics();
                            }
                        });
        ReadCounters counters = counted.get();
        assertThat(counters.requests()).isEqualTo(scan.requests().size());
        assertThat(counters.rounds()).isBetween(1L, counters.requests());
        assertThat(counters.storeBytes()).isGreaterThanOrEqualTo(scan.bytes());
        assertThat(counters.diskBytes()).isZero();
        assertThat(scan.result().getMetrics())
                .containsEntry("Requests to the warehouse", new LongCount(counters.requests()))
                .containsEntry("Bytes from the data cache", new LongCount(0));
    }

    @Test
    void neighbouringColumnsAreOneRequest() throws Exception {
        BigintFile file = BigintFile.write(store, PATH, 32, 3, types); // 196 kB a column
        RoundsStore.Recorded<Long> scan = firstScan(file, ALL, 3, 3, 5, 7, 9, 20);
        assertThat(scan.requests())
                .filteredOn(request -> request.round() == 3)
                .as("four columns of which every second is wanted, and one that is far")
                .hasSize(2);
        assertThat(ahead.memory().usedBytes()).isZero();
    }

    @Test
    void withoutACacheOfFootersAsWell() throws Exception {
        BigintFile file = large();
        RoundsStore.Recorded<Long> scan = firstScan(file, NO_FOOTERS, 3, 3);
        assertThat(scan.requests()).hasSizeLessThanOrEqualTo(9);
        assertThat(ahead.memory().usedBytes()).isZero();
    }

    @Test
    void decodedColumnsAreNotFetched() throws Exception {
        BigintFile file = large();
        FilePageSources sources = sources(8 << 20, 64 << 20);
        for (int round = 0; round < 3; round++) {
            assertThat(scan(file, sources, ALL, 3)).isEqualTo(file.sum(3));
        }
        RoundsStore.Recorded<Long> scan = store.record(() -> scan(file, sources, ALL, 3));
        assertThat(scan.result()).isEqualTo(file.sum(3));
        assertThat(scan.requests()).isEmpty();
    }

    @Test
    void aSmallFileIsReadOnce() throws Exception {
        BigintFile file = BigintFile.write(store, PATH, 4, 2, types);
        FilePageSources sources = sources(8 << 20, 0);
        RoundsStore.Recorded<Long> scan = store.record(() -> scan(file, sources, ALL, 1));
        assertThat(scan.result()).isEqualTo(file.sum(1));
        assertThat(scan.requests()).as("checksums and file").hasSize(2);
        assertThat(store.record(() -> scan(file, sources, ALL, 2)).requests()).isEmpty();
        assertThat(ahead.memory().usedBytes()).isZero();
    }

    @Test
    void aScanThatEndsEarlyReturnsItsMemory() throws Exception {
        BigintFile file = large();
        FilePageSources sources = sources(8 << 20, 0);
        store.record(
                () -> {
                    try (ConnectorPageSource source = file.open(sources, new int[] {3, 9}, ALL)) {
                        source.isBlocked().get();
                        return source.getNextSourcePage();
                    }
                });
        while (ahead.memory().usedBytes() > 0) {
            Thread.onSpinWait(); // fetches in flight return it when they end
        }
        assertThat(ahead.balance().statistics().aheadBytes()).isZero();
    }

    /** A file of which a sample has no row is opened; its requests count too. */
    @Test
    void aScanThatReadsNoRowCountsItsRequests() throws Exception {
        BigintFile file = large();
        FilePageSources sources = sources(8 << 20, 0);
        AtomicReference<ReadCounters> counted = new AtomicReference<>(ReadCounters.NONE);
        RoundsStore.Recorded<Boolean> scan =
                store.record(
                        () -> {
                            try (ConnectorPageSource source =
                                    file.openEmptySample(sources, ALL, counted::set)) {
                                source.isBlocked().get();
                                return source.getNextSourcePage() == null;
                            }
                        });
        assertThat(scan.result()).isTrue();
        assertThat(scan.requests()).isNotEmpty();
        assertThat(counted.get().requests()).isEqualTo(scan.requests().size());
    }

    @Test
    void aFileThatCannotBeOpenedAheadReturnsItsMemory() throws Exception {
        BigintFile file = large();
        ReadingAhead failing =
                new ReadingAhead(
                        ahead.balance(),
                        ahead.executor(),
                        ahead.helpers(),
                        ahead.memory(),
                        () -> {
                            throw new IllegalStateException("no latencies");
                        });
        ObjectStore failingStore =
                new ForwardingObjectStore(store) {
                    @Override
                    public Optional<ReadingAhead> readingAhead() {
                        return Optional.of(failing);
                    }
                };
        FileMetadataCache fileMetadata =
                new FileMetadataCache(_ -> failingStore, _ -> Optional.empty(), 8 << 20);
        FilePageSources sources =
                new FilePageSources(
                        fileMetadata,
                        new DecodedColumnCache(0),
                        new FileBitmapIndexes(store),
                        types,
                        Runnable::run);
        file.openAhead(sources, TupleDomain.all(), ALL);
        assertThat(fileMetadata.statistics().entries()).as("it was opened").isPositive();
        assertThat(ahead.memory().usedBytes()).isZero();
    }
}
