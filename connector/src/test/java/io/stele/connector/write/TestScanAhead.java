package io.stele.connector.write;

import static io.trino.type.InternalTypeManager.TESTING_TYPE_MANAGER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.airlift.units.DataSize;
import io.airlift.units.DataSize.Unit;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.read.FileBitmapIndexes;
import io.stele.connector.read.FilePageSources;
import io.stele.connector.read.FileTails;
import io.stele.connector.read.HotColumns;
import io.stele.connector.read.ScanCaches;
import io.stele.connector.sidecar.CacheUse;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import io.stele.storage.format.FileChecksums;
import io.stele.storage.objectstore.ForwardingObjectStore;
import io.stele.storage.objectstore.InMemoryObjectStore;
import io.stele.storage.objectstore.ObjectStore;
import io.stele.storage.objectstore.cached.DataCache;
import io.stele.storage.objectstore.cached.DataCacheConfig;
import io.stele.storage.objectstore.cached.Warming;
import io.trino.spi.Page;
import io.trino.spi.SplitWeight;
import io.trino.spi.block.Block;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.BigintType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a scan waits for when nothing of its file is near. */
final class TestScanAhead {
    private static final String PATH = "data/7/0/a.orc";
    private static final int COLUMNS = 32;
    private static final int PAGE_ROWS = 8 * 1024;
    private static final int PAGES = 24;
    private static final int WANTED = 6;

    private static final TableSchema TABLE =
            new TableSchema(
                    new TableId(7),
                    "s",
                    "t",
                    1,
                    IntStream.rangeClosed(1, COLUMNS)
                            .mapToObj(
                                    id -> new ColumnSchema(id, "c" + id, DataType.parse("bigint")))
                            .toList(),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    Orientation.COLUMN,
                    0,
                    4,
                    Optional.empty());

    @TempDir private Path directory;

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final TrinoTypes types = new TrinoTypes(TESTING_TYPE_MANAGER);
    private final WatchedStore store = new WatchedStore(new InMemoryObjectStore());
    private long sum;
    private SteleFileSplit split;

    /** Tells who reads, and lets nobody until it is opened. */
    private static final class WatchedStore extends ForwardingObjectStore {
        private final AtomicInteger readsOfScan = new AtomicInteger();
        private final AtomicInteger reads = new AtomicInteger();
        private final AtomicLong bytes = new AtomicLong();
        private volatile CountDownLatch door = new CountDownLatch(0);
        private volatile Optional<Thread> scan = Optional.empty();
        private volatile boolean failing;

        WatchedStore(ObjectStore store) {
            super(store);
        }

        @Override
        public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            try {
                door.await();
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
        Random random = new Random(3);
        ColumnFile.Summary summary;
        try (ColumnFile file =
                ColumnFile.create(store, PATH, TABLE.columns(), TableOptions.NONE, types)) {
            for (int page = 0; page < PAGES; page++) {
                file.write(new Page(PAGE_ROWS, blocks(random)));
            }
            summary = file.finish();
        }
        split =
                new SteleFileSplit(
                        0,
                        PATH,
                        summary.sizeBytes(),
                        0,
                        summary.sizeBytes(),
                        false,
                        0,
                        5,
                        OptionalLong.of(5),
                        OptionalLong.of(100),
                        new byte[0],
                        List.of(),
                        OptionalLong.empty(),
                        OptionalInt.of(FileChecksums.BLOCK_BYTES),
                        "key",
                        Optional.empty(),
                        SplitWeight.standard());
    }

    private Block[] blocks(Random random) {
        Block[] blocks = new Block[COLUMNS];
        for (int column = 0; column < COLUMNS; column++) {
            long[] values = new long[PAGE_ROWS];
            for (int row = 0; row < PAGE_ROWS; row++) {
                values[row] = random.nextLong();
                sum += column == WANTED ? values[row] : 0;
            }
            blocks[column] = new LongArrayBlock(PAGE_ROWS, Optional.empty(), values);
        }
        return blocks;
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
        ObjectStore cached = cache.over(store, Warming.NOTHING);
        FilePageSources sources =
                new FilePageSources(
                        new FileTails(_ -> cached, 1 << 20),
                        new HotColumns(0),
                        new FileBitmapIndexes(cached),
                        types,
                        executor);
        // Every second, so that what lies between two is less than trino-orc would read as well
        List<SteleColumnHandle> wanted =
                IntStream.iterate(WANTED, index -> index < COLUMNS, index -> index + 2)
                        .mapToObj(TABLE.columns()::get)
                        .map(
                                column ->
                                        new SteleColumnHandle(
                                                column.id(),
                                                column.name(),
                                                types.toTrino(column.type())))
                        .toList();
        return sources.open(
                new SteleTableHandle(TABLE, "r", Long.MAX_VALUE),
                split,
                wanted,
                TupleDomain.all(),
                ScanCaches.all(CacheUse.FILL),
                MemoryContext.NO_LIMIT);
    }

    @Test
    void aScanFindsWhatWasFetchedAheadAndNothingElseWas() throws Exception {
        try (DataCache cache = cache();
                ConnectorPageSource source = open(cache)) {
            store.scan = Optional.of(Thread.currentThread());
            assertThat(split.sizeBytes()).as("several stripes").isGreaterThan(35 << 20);
            source.isBlocked().get();
            long found = 0;
            SourcePage first = source.getNextSourcePage();
            assertThat(first).isNotNull();
            found += sum(first);
            assertThat(store.readsOfScan).as("of the first stripe").hasValue(0);
            while (!source.isFinished()) {
                source.isBlocked().get();
                SourcePage page = source.getNextSourcePage();
                found += page == null ? 0 : sum(page);
            }
            assertThat(found).isEqualTo(sum);
            // 13 columns of 32, in pages of 64 KiB, and the ends of the stripes
            assertThat(store.bytes.get()).isLessThan(split.sizeBytes() * 6 / 10);
            assertThat(store.reads.get()).isLessThan(80);
        }
    }

    /** While the warehouse takes its time, the driver's thread is free for others. */
    @Test
    void aScanThatWaitsIsBlocked() throws Exception {
        try (DataCache cache = cache()) {
            CountDownLatch door = new CountDownLatch(1);
            store.door = door;
            ConnectorPageSource source = open(cache);
            assertThat(source.isBlocked()).isNotDone();
            assertThat(source.getNextSourcePage()).isNull();
            assertThat(source.isFinished()).isFalse();
            assertThat(source.getMetrics().getMetrics()).isEmpty();
            ConnectorPageSource other = open(cache);
            other.close();
            assertThat(other.isFinished()).isTrue();
            door.countDown();
            source.isBlocked().get();
            assertThat(source.getNextSourcePage()).isNotNull();
            source.close();
            assertThat(source.isFinished()).isTrue();
        }
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

    private static long sum(SourcePage page) {
        long sum = 0;
        Block block = page.getBlock(0);
        for (int position = 0; position < page.getPositionCount(); position++) {
            sum += BigintType.BIGINT.getLong(block, position);
        }
        return sum;
    }
}
