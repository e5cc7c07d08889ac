package io.stele.storage.objectstore.cached;

import static java.util.Objects.requireNonNull;

import io.airlift.units.DataSize;
import io.stele.cache.page.CachedFile;
import io.stele.cache.page.PageCache;
import io.stele.cache.page.PageCacheOptions;
import io.stele.cache.page.PageGeometry;
import io.stele.cache.page.PageStoreStatistics;
import io.stele.cache.page.TableStatistics;
import io.stele.cache.page.segment.CacheFiles;
import io.stele.cache.page.segment.LocalCacheFiles;
import io.stele.cache.page.segment.SegmentLayout;
import io.stele.cache.page.segment.SegmentPageStore;
import io.stele.protocol.api.DataCacheSpace;
import io.stele.protocol.api.DataCacheTable;
import io.stele.storage.objectstore.ObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The data page cache of one process, open on its directories. Thread-safe.
 *
 * <p>In it tables go by their ids, which a renamed table keeps; {@link #name} tells how they are
 * called, for whoever reads metrics and reserves shares.
 */
public final class DataCache implements AutoCloseable {
    /** Tables whose names are remembered; metrics of others show their ids. */
    private static final int MAX_NAMES = 10_000;

    /** A scan has decoded its last stripe by then, or fetches the next one. */
    private static final long FILL_PAUSE_MILLIS = 200;

    /** 2 KiB, as in {@link PageGeometry#DEFAULT}. */
    private static final int BLOCK_BYTES = PageGeometry.DEFAULT.blockBytes();

    private final SegmentPageStore pages;
    private final PageCache cache;
    private final Map<String, Double> shares;
    private final ConcurrentMap<String, String> names = new ConcurrentHashMap<>();

    private DataCache(SegmentPageStore pages, PageCache cache, Map<String, Double> shares) {
        this.pages = pages;
        this.cache = cache;
        this.shares = Map.copyOf(shares);
    }

    /** Whether a configuration asks for a cache at all. */
    public static boolean isConfigured(DataCacheConfig config) {
        return config.getEnabled().orElse(true) && !config.getDirectories().isEmpty();
    }

    /**
     * Opens the directories. What fails later takes a directory out and nothing else; what is wrong
     * at the start is a mistake of whoever configured it.
     *
     * @param nanoTime a clock of nanoseconds that never goes back
     * @param executor runs blocking tasks that wait for nobody but disks and the store
     * @throws IOException with key, directory and reason, if a directory is in use by another
     *     process, cannot be written, or may take too little for a cache
     */
    public static DataCache open(
            DataCacheConfig config,
            LongSupplier nanoTime,
            RandomGenerator random,
            Executor executor)
            throws IOException {
        int pageBytes = Math.toIntExact(config.getPageSize().toBytes());
        SegmentLayout layout =
                new SegmentLayout(
                        new PageGeometry(pageBytes, BLOCK_BYTES),
                        // Segments of about the same size, whatever that of pages
                        SegmentLayout.DEFAULT_UNITS_PER_SEGMENT
                                * (PageGeometry.DEFAULT.pageBytes() / pageBytes),
                        Map.of(),
                        config.isAdmission());
        List<Opened> opened = new ArrayList<>();
        boolean done = false;
        try {
            List<SegmentPageStore.Directory> directories = new ArrayList<>();
            for (int i = 0; i < config.getDirectories().size(); i++) {
                Opened directory = open(config.getDirectories().get(i));
                opened.add(directory);
                directories.add(directory.sized(config.getMaxSizes().get(i), layout));
            }
            SegmentPageStore pages =
                    new SegmentPageStore(layout, directories, nanoTime, random, executor);
            done = true;
            PageCache cache =
                    new PageCache(
                            pages,
                            PageCacheOptions.DEFAULT,
                            nanoTime,
                            executor,
                            CompletableFuture.delayedExecutor(
                                    FILL_PAUSE_MILLIS, TimeUnit.MILLISECONDS, executor));
            return new DataCache(pages, cache, config.tableShares());
        } finally {
            if (!done) {
                opened.forEach(Opened::close);
            }
        }
    }

    private static Opened open(String name) throws IOException {
        Path directory = Path.of(name).toAbsolutePath().normalize();
        try {
            return new Opened(directory, new AtomicReference<>(LocalCacheFiles.open(directory)));
        } catch (IOException e) {
            throw new IOException(
                    String.format(
                            Locale.ROOT,
                            "stele.cache.directories: expected a directory that this process can write and nobody else uses, found %s: %s",
                            directory,
                            e),
                    e);
        }
    }

    /** A directory that was opened to see whether it can be, for the store to take. */
    private record Opened(Path directory, AtomicReference<CacheFiles> first) {
        SegmentPageStore.Directory sized(DataSize maxSize, SegmentLayout layout)
                throws IOException {
            if (maxSize.toBytes() < layout.minBytes()) {
                throw new IOException(
                        String.format(
                                Locale.ROOT,
                                "stele.cache.max-sizes: expected at least %s for %s, found %s",
                                DataSize.succinctBytes(layout.minBytes()),
                                directory,
                                maxSize));
            }
            return new SegmentPageStore.Directory(
                    directory.toString(), maxSize.toBytes(), this::take);
        }

        private CacheFiles take() throws IOException {
            CacheFiles files = first.getAndSet(null);
            return files == null ? LocalCacheFiles.open(directory) : files;
        }

        private void close() {
            try {
                CacheFiles files = first.getAndSet(null);
                if (files != null) {
                    files.close();
                }
            } catch (IOException e) {
                // The lock ends with the process at the latest
            }
        }
    }

    /**
     * The store, whose data files are read through this cache. Closing it leaves the cache open.
     *
     * @param warming whether data files that are written through it are kept
     */
    public CachedObjectStore over(ObjectStore store, Warming warming) {
        return new CachedObjectStore(store, this, warming);
    }

    /** Says how a table is called at present, and so which share it has. */
    public void name(String tableId, String name) {
        requireNonNull(name, "name is null");
        if (names.size() >= MAX_NAMES && !names.containsKey(tableId)) {
            return;
        }
        if (!name.equals(names.put(tableId, name))) {
            pages.reserve(tableId, shares.getOrDefault(name, 0.0));
        }
    }

    PageCache pages() {
        return cache;
    }

    /** A data file as the cache knows it. */
    CachedFile file(ObjectStore store, String path, long sizeBytes) {
        return new CachedFile(
                DataFiles.tableId(path).orElse(PageCache.OTHER_TABLES),
                store.describe(path),
                sizeBytes);
    }

    /** What it did for each table so far. */
    public List<DataCacheTable> tables() {
        return cache.tableStatistics().stream().map(this::table).toList();
    }

    private DataCacheTable table(TableStatistics table) {
        Map<Double, Double> ghosts = table.ghostHitRatios();
        return new DataCacheTable(
                names.getOrDefault(table.table(), table.table()),
                table.reads(),
                table.requestsSaved(),
                table.pageHits(),
                table.pageMisses(),
                table.hitBytes(),
                table.missedBytes(),
                table.loads(),
                table.loadedBytes(),
                table.savedMillis(),
                table.failedLoads(),
                table.damagedPages(),
                table.skippedFills() + table.visitedPages(),
                ghosts.getOrDefault(0.5, 0.0),
                ghosts.getOrDefault(1.0, 0.0),
                ghosts.getOrDefault(2.0, 0.0),
                ghosts.getOrDefault(4.0, 0.0));
    }

    /** What it holds, all directories together. */
    public DataCacheSpace space() {
        PageStoreStatistics store = cache.storeStatistics();
        return new DataCacheSpace(
                store.pages(),
                store.diskBytes(),
                store.maxDiskBytes(),
                store.evictions(),
                store.rejections(),
                store.damaged(),
                store.removed(),
                store.writeFailures(),
                store.directories(),
                store.directoriesOut());
    }

    /** Writes down what is needed to keep contents over a restart, and ends. */
    @Override
    public void close() {
        cache.close();
    }
}
