package io.stele.objectstore.cached;

import static java.util.Objects.requireNonNull;

import io.airlift.units.DataSize;
import io.stele.cache.page.PageCache;
import io.stele.cache.page.PageCacheOptions;
import io.stele.cache.page.PageGeometry;
import io.stele.cache.page.PageStoreStatistics;
import io.stele.cache.page.TableCacheStatistics;
import io.stele.cache.page.segment.CacheFiles;
import io.stele.cache.page.segment.LocalCacheFiles;
import io.stele.cache.page.segment.SegmentPageStore;
import io.stele.cache.page.segment.SegmentStoreOptions;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.api.status.DataCacheSpace;
import io.stele.protocol.api.status.DataCacheTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The owner of a process's data page cache: it opens the cache's directories, wraps object stores
 * with it, and reports its statistics. Thread-safe.
 *
 * <p>Tables are identified by their ids, which a rename does not change. {@link #name} sets their
 * present names, for metrics and for reserved shares.
 */
public final class DataCache implements AutoCloseable {
    /** Tables whose names are remembered; metrics of other tables show their ids. */
    private static final int MAX_NAMES = 10_000;

    /** A scan has decoded its last stripe by then, or fetches the next one. */
    private static final long FILL_PAUSE_MILLIS = 200;

    /**
     * Enough to load the index of several hundred GiB (docs/decisions/data-cache.md). A larger one
     * is loaded while the process already works; until then its directory is like an empty cache.
     */
    private static final long OPENING_MILLIS = 1_000;

    /** The folder of pages in the default folder of caches. */
    private static final String PAGES = "pages";

    private final SegmentPageStore pages;
    private final PageCache cache;
    private final List<Path> directories;
    private final Map<String, Double> shares;
    private final ConcurrentMap<String, String> names = new ConcurrentHashMap<>();

    private DataCache(
            SegmentPageStore pages,
            PageCache cache,
            List<Path> directories,
            Map<String, Double> shares) {
        this.directories = List.copyOf(directories);
        this.pages = pages;
        this.cache = cache;
        this.shares = Map.copyOf(shares);
    }

    /** Whether a configuration names directories of its own, and does not switch them off. */
    public static boolean hasDirectories(DataCacheConfig config) {
        return config.getEnabled().orElse(true) && !config.getDirectories().isEmpty();
    }

    /** Whether data files of a warehouse are read through a cache. */
    public static boolean isWanted(DataCacheConfig config, boolean isRemote) {
        return config.getEnabled().orElse(isRemote);
    }

    /**
     * Opens the directories of a configuration. A later failure of a directory takes only that
     * directory out of use; a failure here is a mistake of the configuration.
     *
     * @param nanoTime a clock of nanoseconds that never goes back
     * @param executor runs blocking tasks that wait only for disks and the store
     * @throws IOException with key, directory and reason, if a directory is in use by another
     *     process, cannot be written, or may take too little for a cache
     */
    public static DataCache open(
            DataCacheConfig config,
            LongSupplier nanoTime,
            RandomGenerator random,
            Executor executor)
            throws IOException {
        return open(config, nanoTime, random, executor, afterPause(executor));
    }

    private static Executor afterPause(Executor executor) {
        return CompletableFuture.delayedExecutor(
                FILL_PAUSE_MILLIS, TimeUnit.MILLISECONDS, executor);
    }

    /**
     * Opens the directories of a configuration, as the public method does.
     *
     * @param later runs blocking tasks after a pause, in which the reader that fetched can continue
     */
    static DataCache open(
            DataCacheConfig config,
            LongSupplier nanoTime,
            RandomGenerator random,
            Executor executor,
            Executor later)
            throws IOException {
        List<Opened> opened = new ArrayList<>();
        for (int i = 0; i < config.getDirectories().size(); i++) {
            try {
                opened.add(
                        open(
                                config.getDirectories().get(i),
                                config.getMaxSizes().get(i),
                                storeOptions(config)));
            } catch (IOException e) {
                opened.forEach(Opened::close);
                throw e;
            }
        }
        return open(opened, config, nanoTime, random, executor, later);
    }

    /**
     * Opens the cache of a process without configured directories: {@code pages} in its folder, or
     * a folder beside it if another process has that one.
     *
     * @param folder of this process's caches; created if missing, for this user alone
     * @throws IOException with the reason, if there can be none: the caller continues without a
     *     cache
     */
    public static DataCache openDefault(
            Path folder,
            DataCacheConfig config,
            LongSupplier nanoTime,
            RandomGenerator random,
            Executor executor)
            throws IOException {
        Path own = folder.toAbsolutePath().normalize();
        DefaultCache.createFolder(own);
        DefaultCache.Opened<LocalCacheFiles> first =
                DefaultCache.openFirstFree(
                        own.resolve(PAGES),
                        pages -> {
                            DefaultCache.createFolder(pages);
                            return LocalCacheFiles.tryOpen(pages);
                        });
        Opened opened = Opened.of(first.folder(), first.files());
        try {
            opened =
                    config.getMaxSizes().isEmpty()
                            ? opened.sized(DefaultCache.maxBytes(first.folder(), pageBytes(config)))
                            : opened.sized(config.getMaxSizes().getFirst(), storeOptions(config));
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
        return open(List.of(opened), config, nanoTime, random, executor, afterPause(executor));
    }

    private static DataCache open(
            List<Opened> opened,
            DataCacheConfig config,
            LongSupplier nanoTime,
            RandomGenerator random,
            Executor executor,
            Executor later) {
        boolean done = false;
        try {
            SegmentPageStore pages =
                    new SegmentPageStore(
                            storeOptions(config),
                            opened.stream().map(Opened::directory).toList(),
                            nanoTime,
                            random,
                            executor,
                            OptionalLong.of(OPENING_MILLIS));
            done = true;
            PageCache cache =
                    new PageCache(pages, PageCacheOptions.DEFAULT, nanoTime, executor, later);
            return new DataCache(
                    pages, cache, opened.stream().map(Opened::path).toList(), config.tableShares());
        } finally {
            if (!done) {
                opened.forEach(Opened::close);
            }
        }
    }

    private static int pageBytes(DataCacheConfig config) {
        return Math.toIntExact(config.getPageSize().toBytes());
    }

    private static SegmentStoreOptions storeOptions(DataCacheConfig config) {
        return new SegmentStoreOptions(
                PageGeometry.ofPages(pageBytes(config)),
                SegmentStoreOptions.DEFAULT_UNITS_PER_SEGMENT,
                Map.of(),
                config.isAdmission());
    }

    private static Opened open(String name, DataSize maxSize, SegmentStoreOptions options)
            throws IOException {
        Path directory = Path.of(name).toAbsolutePath().normalize();
        Opened opened;
        try {
            opened = Opened.of(directory, LocalCacheFiles.open(directory));
        } catch (IOException e) {
            throw new IOException(
                    String.format(
                            Locale.ROOT,
                            "stele.cache.directories: expected a directory that this process can"
                                    + " write and nobody else uses, found %s: %s",
                            directory,
                            e),
                    e);
        }
        try {
            return opened.sized(maxSize, options);
        } catch (IOException e) {
            opened.close();
            throw e;
        }
    }

    /**
     * A directory that was opened as a check, and is then handed to the store.
     *
     * @param maxBytes limit of its space; 0 until it is determined
     */
    private record Opened(Path path, long maxBytes, AtomicReference<CacheFiles> first) {
        static Opened of(Path path, CacheFiles files) {
            return new Opened(path, 0, new AtomicReference<>(files));
        }

        Opened sized(long bytes) {
            return new Opened(path, bytes, first);
        }

        Opened sized(DataSize maxSize, SegmentStoreOptions options) throws IOException {
            if (maxSize.toBytes() < options.minBytes()) {
                throw new IOException(
                        String.format(
                                Locale.ROOT,
                                "stele.cache.max-sizes: expected at least %s for %s, found %s",
                                DataSize.succinctBytes(options.minBytes()),
                                path,
                                maxSize));
            }
            return sized(maxSize.toBytes());
        }

        SegmentPageStore.Directory directory() {
            return new SegmentPageStore.Directory(path.toString(), maxBytes, this::take);
        }

        private CacheFiles take() throws IOException {
            CacheFiles files = first.getAndSet(null);
            return files == null ? LocalCacheFiles.open(path) : files;
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
     * @param warming whether data files that are written through it are cached
     */
    public CachedObjectStore over(ObjectStore store, WarmingPolicy warming) {
        return over(store, warming, DataFiles::tableId);
    }

    /**
     * The store with another naming convention, whose data files are read through this cache.
     *
     * @param naming of the store's data files
     */
    public CachedObjectStore over(ObjectStore store, WarmingPolicy warming, DataFileNaming naming) {
        return new CachedObjectStore(store, this, warming, naming);
    }

    /** Sets the present name of a table, and so its reserved share. */
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

    /** The counters of each table in the cache. */
    public List<DataCacheTable> tables() {
        return cache.tableStatistics().stream().map(this::table).toList();
    }

    private DataCacheTable table(TableCacheStatistics table) {
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
                table.skippedFills() + table.firstAccessPages(),
                ghosts.getOrDefault(0.5, 0.0),
                ghosts.getOrDefault(1.0, 0.0),
                ghosts.getOrDefault(2.0, 0.0),
                ghosts.getOrDefault(4.0, 0.0));
    }

    /** The space and contents of the cache, summed over all directories. */
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

    /** A text with its directories and its greatest size. */
    public String describe() {
        DataCacheSpace space = space();
        return String.format(
                Locale.ROOT,
                "up to %s in %s%s%s",
                DataSize.succinctBytes(space.maxDiskBytes()),
                directories,
                pages.emptied().isEmpty()
                        ? ""
                        : ", emptied, as of another release or page size: " + pages.emptied(),
                space.directoriesOut() == 0 ? "" : ", not yet open, or not to be read or written");
    }

    /** Writes the journal that preserves contents over a restart, and closes. */
    @Override
    public void close() {
        cache.close();
    }
}
