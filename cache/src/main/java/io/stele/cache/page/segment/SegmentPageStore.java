package io.stele.cache.page.segment;

import static java.util.Objects.requireNonNull;

import io.stele.cache.page.CachedFile;
import io.stele.cache.page.PageKey;
import io.stele.cache.page.PageStore;
import io.stele.cache.page.PageStoreStatistics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The page store of the data page cache: segment files in one or more local directories, each with
 * its own index and journal. A page's key and the directories' sizes determine its directory
 * (weighted rendezvous hashing). So if a directory fails, only its pages have to be loaded again,
 * into the other directories.
 *
 * <p>A directory whose reads and writes fail several times in a row, or that cannot be opened, is
 * taken out of use. Every minute this tries to open it again, with the pages that it still has.
 *
 * <p>Thread-safe. Reads and puts block for disk I/O in the calling thread; opening a directory runs
 * on the executor. Lock order: the lock of opening a slot, then the store's lock.
 */
public final class SegmentPageStore implements PageStore {
    /**
     * A directory to use.
     *
     * @param name for messages, and for the choice of the directory of a page; must never change
     * @param maxBytes the most bytes of the directory on disk
     */
    public record Directory(String name, long maxBytes, CacheFiles.Opener opener) {
        public Directory {
            requireNonNull(name, "name is null");
            requireNonNull(opener, "opener is null");
        }
    }

    private static final long RETRY_NANOS = 60_000_000_000L;

    /**
     * The most remembered pages to remove when their directory is open again: 64 GiB. Further pages
     * are evicted in time.
     */
    private static final int MAX_REMOVED = 1 << 16;

    private final SegmentStoreOptions options;
    private final LongSupplier nanoTime;
    private final Executor executor;
    private final ScratchBuffers scratch;
    private final List<Slot> slots = new ArrayList<>();
    private final long maxPages;
    // @GuardedBy("this"): reserved after the start, by table
    private final Map<String, Double> sharesSince = new HashMap<>();

    private volatile boolean closed;

    /**
     * Opens the directories; directories that cannot be opened are out of use.
     *
     * @param nanoTime a clock of nanoseconds that never goes back
     * @param executor opens directories again
     * @throws IllegalArgumentException if a directory's size is too small for a cache
     */
    public SegmentPageStore(
            SegmentStoreOptions options,
            List<Directory> directories,
            LongSupplier nanoTime,
            RandomGenerator random,
            Executor executor) {
        this(options, directories, nanoTime, random, executor, OptionalLong.empty());
    }

    /**
     * Opens the directories on the executor. A directory whose index takes longer to read than this
     * waits is out of use until then.
     *
     * @param maxWaitMillis the longest wait; empty: this thread opens all directories itself
     * @param nanoTime a clock of nanoseconds that never goes back
     * @param executor opens directories
     * @throws IllegalArgumentException if a directory's size is too small for a cache
     */
    public SegmentPageStore(
            SegmentStoreOptions options,
            List<Directory> directories,
            LongSupplier nanoTime,
            RandomGenerator random,
            Executor executor,
            OptionalLong maxWaitMillis) {
        this.options = requireNonNull(options, "options is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.executor = requireNonNull(executor, "executor is null");
        if (directories.isEmpty()) {
            throw new IllegalArgumentException("Expected at least one cache directory, found none");
        }
        this.scratch = new ScratchBuffers(Places.GROUP * options.geometry().unitBytes());
        long pages = 0;
        for (Directory directory : directories) {
            pages += options.units(directory.maxBytes()) / options.geometry().unitsPerPage();
            slots.add(new Slot(directory, random.nextLong()));
        }
        this.maxPages = pages;
        if (maxWaitMillis.isEmpty()) {
            slots.forEach(Slot::open);
        } else {
            await(slots.stream().map(Slot::beginToOpen).toList(), maxWaitMillis.getAsLong());
        }
    }

    private static void await(List<CompletableFuture<@Nullable Void>> opened, long maxWaitMillis) {
        try {
            var unused =
                    CompletableFuture.allOf(opened.toArray(CompletableFuture[]::new))
                            .get(maxWaitMillis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // The remaining directories open in the background
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException("Expected no failure here", e);
        }
    }

    @Override
    public int pageBytes() {
        return options.geometry().pageBytes();
    }

    @Override
    public int unitBytes() {
        return Math.min(pageBytes(), options.geometry().unitPayloadBytes());
    }

    @Override
    public long maxPages() {
        return maxPages;
    }

    @Override
    public boolean isAvailable() {
        boolean available = false;
        for (Slot slot : slots) {
            if (slot.directory != null) {
                available = true;
            } else {
                slot.openAgainIfDue();
            }
        }
        return available;
    }

    @Override
    public boolean contains(CachedFile file, long page) {
        PageKey key = file.key(page);
        Slot slot = slot(key);
        SegmentDirectory directory = slot == null ? null : slot.directory;
        return directory != null && directory.contains(key);
    }

    @Override
    public boolean contains(CachedFile file, long page, int offset, int length) {
        PageKey key = file.key(page);
        Slot slot = slot(key);
        SegmentDirectory directory = slot == null ? null : slot.directory;
        return directory != null && directory.contains(key, offset, length);
    }

    @Override
    public Outcome read(
            CachedFile file, long page, int offset, byte[] buffer, int bufferOffset, int length) {
        PageKey key = file.key(page);
        Slot slot = slot(key);
        SegmentDirectory directory = slot == null ? null : slot.directory;
        if (slot == null || directory == null) {
            return Outcome.MISS;
        }
        Outcome outcome =
                directory.read(key, pageLength(file, page), offset, buffer, bufferOffset, length);
        if (outcome == Outcome.DAMAGED) {
            slot.takeOutIfFailed(directory);
        }
        return outcome;
    }

    @Override
    public boolean put(
            CachedFile file, long page, int pageOffset, byte[] bytes, int offset, int length) {
        PageKey key = file.key(page);
        Slot slot = slot(key);
        SegmentDirectory directory = slot == null ? null : slot.directory;
        if (slot == null || directory == null) {
            return false;
        }
        boolean kept =
                directory.put(
                        key,
                        file.table(),
                        pageLength(file, page),
                        pageOffset,
                        bytes,
                        offset,
                        length);
        if (!kept) {
            slot.takeOutIfFailed(directory);
        }
        return kept;
    }

    private int pageLength(CachedFile file, long page) {
        return (int) Math.min(pageBytes(), file.sizeBytes() - page * pageBytes());
    }

    /** Removes a page, in a directory that is not open as soon as it is open. */
    @Override
    public void remove(CachedFile file, long page) {
        PageKey key = file.key(page);
        for (Slot slot : slots) {
            SegmentDirectory directory = slot.directory;
            if (directory == null) {
                directory = removeLater(slot, key);
            }
            if (directory != null) {
                directory.remove(key);
            }
        }
    }

    /**
     * Remembers a page to remove when its directory is open; returns the directory if it was opened
     * meanwhile. Atomic with {@link #use}.
     */
    private synchronized @Nullable SegmentDirectory removeLater(Slot slot, PageKey key) {
        if (slot.directory == null && slot.removed.size() < MAX_REMOVED) {
            slot.removed.add(key);
        }
        return slot.directory;
    }

    /**
     * Reserves a share of the space for a table, as {@link SegmentStoreOptions#shares} does for
     * configured tables.
     *
     * @param share from 0 to 1
     * @throws IllegalArgumentException if all shares together would exceed 1
     */
    public synchronized void reserve(String table, double share) {
        Map<String, Double> reserved = new HashMap<>(options.shares());
        reserved.putAll(sharesSince);
        reserved.put(requireNonNull(table, "table is null"), share);
        SegmentStoreOptions checked =
                new SegmentStoreOptions(
                        options.geometry(),
                        options.unitsPerSegment(),
                        reserved,
                        options.admission());
        sharesSince.put(table, checked.shares().get(table));
        for (Slot slot : slots) {
            SegmentDirectory directory = slot.directory;
            if (directory != null) {
                directory.reserve(table, share);
            }
        }
    }

    // Atomic, so that no share reserved meanwhile is missed
    private synchronized void use(Slot slot, SegmentDirectory opened) {
        sharesSince.forEach(opened::reserve);
        slot.removed.forEach(opened::remove);
        slot.removed.clear();
        slot.directory = opened;
    }

    /**
     * The directories in use that were emptied when they were opened, because they had another
     * layout or version.
     */
    public List<String> emptied() {
        List<String> result = new ArrayList<>();
        for (Slot slot : slots) {
            SegmentDirectory directory = slot.directory;
            if (directory != null && directory.isEmptied()) {
                result.add(slot.configured.name());
            }
        }
        return List.copyOf(result);
    }

    @Override
    public PageStoreStatistics statistics() {
        PageStoreStatistics sum = PageStoreStatistics.NONE;
        for (Slot slot : slots) {
            sum = sum.plus(slot.statistics());
        }
        return sum;
    }

    @Override
    public void close() {
        closed = true;
        slots.forEach(Slot::close);
    }

    /** The slot of the directory in use that the page belongs to. */
    private @Nullable Slot slot(PageKey key) {
        if (slots.size() == 1) {
            return slots.getFirst();
        }
        Slot best = null;
        double bestScore = Double.POSITIVE_INFINITY;
        for (Slot slot : slots) {
            if (slot.directory == null) {
                slot.openAgainIfDue();
                continue;
            }
            double score = slot.score(key);
            if (score < bestScore) {
                bestScore = score;
                best = slot;
            }
        }
        return best;
    }

    /** A configured directory, which is open or out of use. */
    private final class Slot {
        private final Directory configured;
        private final RandomGenerator random;
        private final long seed;
        private final AtomicBoolean opening = new AtomicBoolean();
        private final ReentrantLock opens = new ReentrantLock(); // held while it is opened

        // @GuardedBy("SegmentPageStore.this"): pages to remove when it is open
        private final Set<PageKey> removed = new HashSet<>();

        /** The counters of directories that were taken out of use. */
        private PageStoreStatistics before = PageStoreStatistics.NONE;

        private volatile long openAgainAt;
        volatile @Nullable SegmentDirectory directory;

        Slot(Directory configured, long randomSeed) {
            this.configured = configured;
            this.random = new SplittableRandom(randomSeed);
            this.seed = new CachedFile("", configured.name(), 0).key(0).low();
        }

        /**
         * The score of a page, an exponential variable with the directory's size as rate; the
         * directory with the smallest score has the page.
         */
        double score(PageKey key) {
            long bits = PageKey.mix(key.low() ^ seed) >>> 11;
            double uniform = (bits + 1) * 0x1.0p-53;
            return -Math.log(uniform) / configured.maxBytes();
        }

        /** Opens the directory; blocks. The slot's counters can be read meanwhile. */
        void open() {
            opens.lock();
            try {
                if (closed || directory != null) {
                    return;
                }
                CacheFiles files = configured.opener().open();
                use(
                        this,
                        SegmentDirectory.open(
                                configured.name(),
                                configured.maxBytes(),
                                options,
                                files,
                                scratch,
                                nanoTime,
                                random));
            } catch (IOException | RuntimeException e) {
                // A damaged directory must not prevent the start
                openAgainAt = nanoTime.getAsLong() + RETRY_NANOS;
            } finally {
                opens.unlock();
            }
        }

        /** Opens the directory on the executor; completes after success or failure. */
        CompletableFuture<@Nullable Void> beginToOpen() {
            CompletableFuture<@Nullable Void> opened = new CompletableFuture<>();
            opening.set(true);
            Runnable task =
                    () -> {
                        try {
                            openAgain();
                        } finally {
                            opened.complete(null);
                        }
                    };
            try {
                executor.execute(task);
            } catch (RejectedExecutionException e) {
                task.run();
            }
            return opened;
        }

        void openAgainIfDue() {
            if (closed
                    || nanoTime.getAsLong() - openAgainAt < 0
                    || !opening.compareAndSet(false, true)) {
                return;
            }
            openAgainAt = nanoTime.getAsLong() + RETRY_NANOS;
            try {
                executor.execute(this::openAgain);
            } catch (RejectedExecutionException e) {
                opening.set(false);
            }
        }

        private void openAgain() {
            try {
                open();
            } finally {
                opening.set(false);
            }
        }

        synchronized void takeOutIfFailed(SegmentDirectory failed) {
            if (failed.hasFailed() && directory == failed) {
                openAgainAt = nanoTime.getAsLong() + RETRY_NANOS;
                directory = null;
                PageStoreStatistics last = failed.statistics();
                failed.abandon();
                before = before.plus(countersOf(last));
            }
        }

        synchronized PageStoreStatistics statistics() {
            SegmentDirectory open = directory;
            return before.plus(
                    open != null
                            ? open.statistics()
                            : new PageStoreStatistics(
                                    0, 0, configured.maxBytes(), 0, 0, 0, 0, 0, 0, 1, 1));
        }

        private PageStoreStatistics countersOf(PageStoreStatistics last) {
            return new PageStoreStatistics(
                    0,
                    0,
                    0,
                    last.puts(),
                    last.evictions(),
                    last.rejections(),
                    last.damaged(),
                    last.removed(),
                    last.writeFailures(),
                    0,
                    0);
        }

        /** Waits for an opening in progress; after this call the directory is out of use. */
        void close() {
            opens.lock();
            try {
                closeOpen();
            } finally {
                opens.unlock();
            }
        }

        private synchronized void closeOpen() {
            SegmentDirectory open = directory;
            directory = null;
            if (open != null) {
                open.close();
            }
        }
    }
}
