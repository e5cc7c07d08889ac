package io.stele.connector.write;

import static io.trino.type.InternalTypeManager.TESTING_TYPE_MANAGER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.airlift.units.DataSize;
import io.airlift.units.DataSize.Unit;
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
import io.stele.objectstore.cached.DataCache;
import io.stele.objectstore.cached.DataCacheConfig;
import io.stele.objectstore.cached.WarmingPolicy;
import io.stele.objectstore.retrieval.ReadAheadBalance;
import io.stele.objectstore.retrieval.ReadingAhead;
import io.stele.protocol.api.status.ReadCounters;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a scan waits for when nothing of its file is near. */
final class TestStripePrefetch {
    private static final String PATH = "data/7/0/a.orc";
    private static final int COLUMNS = 32;
    private static final int PAGES = 48; // four stripes
    private static final int WANTED =
            18; // and so few columns that two stripes of them are within the first room

    @TempDir private Path directory;

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final TrinoTypes types = new TrinoTypes(TESTING_TYPE_MANAGER);
    private final WatchedStore store = new WatchedStore(new InMemoryObjectStore());
    private BigintFile file;

    /** Tells who reads, and lets nobody until it is opened. */
    private static final class WatchedStore extends ForwardingObjectStore {
        private final AtomicInteger readsOfScan = new AtomicInteger();
        private final AtomicInteger reads = new AtomicInteger();
        private final AtomicLong bytes = new AtomicLong();
        private volatile CountDownLatch gate = new CountDownLatch(0);
        private volatile Optional<Thread> scan = Optional.empty();
        private volatile boolean failing;
        private volatile Optional<ReadingAhead> ahead = Optional.empty();

        WatchedStore(ObjectStore store) {
            super(store);
        }

        @Override
        public Optional<ReadingAhead> readingAhead() {
            return ahead;
        }

        @Override
        public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            if (failing) {
                throw new IOException("no route to the store");
            }
            reads.incrementAndGet();
            bytes.addAndGet(length);
            if (scan.equals(Optional.of(Thread.currentThread()))) {
                readsOfScan.incrementAndGet();
            }
            super.read(path, offset, buffer, bufferOffset, length);
        }
    }

    @BeforeEach
    void write() throws IOException {
        file = BigintFile.write(store, PATH, COLUMNS, PAGES, types);
    }

    @AfterEach
    void end() {
        executor.close();
    }

    private DataCache cache() throws IOException {
        return DataCache.open(
                new DataCacheConfig()
                        .setDirectories(List.of(directory.toString()))
                        .setMaxSizes(List.of(DataSize.of(128, Unit.MEGABYTE)))
                        .setPageSize(DataSize.of(64, Unit.KILOBYTE)),
                System::nanoTime,
                new Random(1),
                executor);
    }

    private ConnectorPageSource open(DataCache cache) {
        ObjectStore cached = cache.over(store, WarmingPolicy.NOTHING);
        FilePageSources sources =
                new FilePageSources(
                        new FileMetadataCache(_ -> cached, _ -> Optional.empty(), 1 << 20),
                        new DecodedColumnCache(0),
                        new FileBitmapIndexes(cached),
                        types,
                        executor);
        // Every second, so that what lies between two is less than trino-orc would read as well
        return file.open(
                sources,
                IntStream.iterate(WANTED, index -> index < COLUMNS, index -> index + 2).toArray(),
                ScanCaches.all(CacheUse.FILL));
    }

    @Test
    void aScanFindsWhatWasFetchedAheadAndNothingElseWas() throws Exception {
        try (DataCache cache = cache();
                ConnectorPageSource source = open(cache)) {
            store.scan = Optional.of(Thread.currentThread());
            assertThat(file.sizeBytes()).as("several stripes").isGreaterThan(35 << 20);
            source.isBlocked().get();
            long found = 0;
            SourcePage first = source.getNextSourcePage();
            assertThat(first).isNotNull();
            found += BigintFile.sum(first);
            assertThat(store.readsOfScan).as("of the first stripe").hasValue(0);
            while (!source.isFinished()) {
                source.isBlocked().get();
                SourcePage page = source.getNextSourcePage();
                found += page == null ? 0 : BigintFile.sum(page);
            }
            assertThat(found).isEqualTo(file.sum(WANTED));
            // 7 columns of 32, in pages of 64 KiB, and the ends of the stripes
            assertThat(store.bytes.get()).isLessThan(file.sizeBytes() * 4 / 10);
            assertThat(store.reads.get()).isLessThan(80);
        }
    }

    /** One stripe ahead where there is no room for more; the scan itself never asks the store. */
    @Test
    @Timeout(300)
    void asMuchIsAheadAsThereIsRoomFor() throws Exception {
        ReadAheadBalance balance = new ReadAheadBalance(1, System::nanoTime);
        store.ahead = Optional.of(new ReadingAhead(balance, executor));
        try (DataCache cache = cache();
                ConnectorPageSource source = open(cache)) {
            source.isBlocked().get();
            store.scan = Optional.of(Thread.currentThread());
            SourcePage first = source.getNextSourcePage();
            assertThat(first).isNotNull();
            long found = BigintFile.sum(first);
            while (balance.statistics().aheadBytes() == 0) {
                spin(); // until the second stripe is asked for
            }
            assertThat(balance.statistics().processors()).isEqualTo(1);
            long atFirst = store.bytes.get(); // of two stripes at most, of three or more
            while (!source.isFinished()) {
                source.isBlocked().get();
                SourcePage page = source.getNextSourcePage();
                found += page == null ? 0 : BigintFile.sum(page);
            }
            assertThat(found).isEqualTo(file.sum(WANTED));
            assertThat(store.readsOfScan).hasValue(0);
            assertThat(atFirst).isLessThan(store.bytes.get() * 8 / 10);
            assertThat(balance.statistics().retrievedBytesPerSecond()).isPositive();
            assertThat(balance.statistics().refused()).isPositive();
        }
        assertThat(balance.statistics().aheadBytes()).isZero();
        assertThat(balance.statistics().processors()).isZero();
    }

    /** Room that another scan gives back is used by one that has no thread at present. */
    @Test
    @Timeout(300)
    void whatOthersGiveBackIsUsedAtOnce() throws Exception {
        long all = 64 << 20;
        ReadAheadBalance balance = new ReadAheadBalance(all, System::nanoTime);
        ReadAheadBalance.Processor other = balance.open();
        assertThat(other.begin(all)).isTrue();
        store.ahead = Optional.of(new ReadingAhead(balance, executor));
        try (DataCache cache = cache();
                ConnectorPageSource source = open(cache)) {
            source.isBlocked().get();
            awaitRefused(balance);
            long firstStripe = balance.statistics().aheadBytes() - all;
            assertThat(firstStripe).isPositive();
            other.reached(all);
            while (balance.statistics().aheadBytes() <= firstStripe) {
                spin();
            }
        }
    }

    /** Until the second stripe has asked for room. */
    private static void awaitRefused(ReadAheadBalance balance) throws InterruptedException {
        while (balance.statistics().refused() == 0) {
            spin();
        }
    }

    /** Ends when the test's time does. */
    private static void spin() throws InterruptedException {
        Thread.onSpinWait();
        if (Thread.interrupted()) {
            throw new InterruptedException("Expected it to happen in time");
        }
    }

    /** While the warehouse takes its time, the driver's thread is free for others. */
    @Test
    void aScanThatWaitsIsBlocked() throws Exception {
        try (DataCache cache = cache()) {
            CountDownLatch gate = new CountDownLatch(1);
            store.gate = gate;
            ConnectorPageSource source = open(cache);
            assertThat(source.isBlocked()).isNotDone();
            assertThat(source.getNextSourcePage()).isNull();
            assertThat(source.isFinished()).isFalse();
            assertThat(source.getMetrics().getMetrics()).isEmpty();
            ConnectorPageSource other = open(cache);
            other.close();
            assertThat(other.isFinished()).isTrue();
            gate.countDown();
            source.isBlocked().get();
            assertThat(source.getNextSourcePage()).isNotNull();
            source.close();
            assertThat(source.isFinished()).isTrue();
        }
    }

    /** Such a worker prefetches into memory, also what is in its data cache. */
    @Test
    @Timeout(300)
    void aWorkerThatIsNotThePreferredOneCountsTheBytesOfItsDataCache() throws Exception {
        store.ahead =
                Optional.of(
                        new ReadingAhead(
                                new ReadAheadBalance(64 << 20, System::nanoTime), executor));
        AtomicReference<ReadCounters> counted = new AtomicReference<>(ReadCounters.NONE);
        try (DataCache cache = cache()) {
            ObjectStore cached = cache.over(store, WarmingPolicy.NOTHING);
            FilePageSources sources =
                    new FilePageSources(
                            new FileMetadataCache(
                                    use ->
                                            use == CacheUse.SECOND_ACCESS
                                                    ? cached.admittingOnSecondAccess()
                                                    : cached,
                                    _ -> Optional.empty(),
                                    1 << 20),
                            new DecodedColumnCache(0),
                            new FileBitmapIndexes(cached),
                            types,
                            executor);
            file.scan(sources, WANTED, ScanCaches.all(CacheUse.FILL));
            long found =
                    file.scan(
                            sources, WANTED, ScanCaches.all(CacheUse.SECOND_ACCESS), counted::set);
            assertThat(found).isEqualTo(file.sum(WANTED));
        }
        assertThat(counted.get().storeBytes()).isZero();
        assertThat(counted.get().diskBytes())
                .isGreaterThan((long) PAGES * BigintFile.PAGE_ROWS * Long.BYTES);
    }

    @Test
    void aStoreThatFailsFailsTheScan() throws Exception {
        try (DataCache cache = cache()) {
            store.failing = true;
            ConnectorPageSource source = open(cache);
            source.isBlocked().get();
            assertThatThrownBy(source::getNextSourcePage)
                    .hasMessageContaining(PATH)
                    .hasStackTraceContaining("no route to the store");
            source.close();
            store.failing = false;
            try (ConnectorPageSource again = open(cache)) {
                again.isBlocked().get();
                assertThat(again.getNextSourcePage()).isNotNull();
            }
        }
    }
}
