package io.stele.cache.page.segment;

import static java.util.Objects.requireNonNull;

import io.stele.cache.page.CachedFile;
import io.stele.cache.page.PageKey;
import io.stele.cache.page.PageStore;
import io.stele.cache.page.PageStoreStatistics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Pages in segment files of one or more directories. Each directory has its own index and journal;
 * which one a page belongs to is decided by its key and the directories' sizes (weighted rendezvous
 * hashing), so that when one fails, only its pages have to be loaded again, into the others.
 *
 * <p>A directory whose reads and writes fail several times in a row, or that cannot be opened, is
 * taken out; every minute it is opened again, with what it still has.
 *
 * <p>Thread-safe. Reads and puts block for disk I/O in the calling thread; only opening a directory
 * again runs on the executor.
 */
public final class SegmentPageStore implements PageStore {
    /**
     * A directory to use.
     *
     * @param name for messages, and for the choice of pages: it must stay the same
     * @param maxBytes what the directory may take on disk
     */
    public record Directory(String name, long maxBytes, CacheFiles.Opener opener) {
        public Directory {
            requireNonNull(name, "name is null");
            requireNonNull(opener, "opener is null");
        }
    }

    private static final long RETRY_NANOS = 60_000_000_000L;

    private final SegmentLayout layout;
    private final LongSupplier nanoTime;
    private final Executor executor;
    private final ScratchBuffers scratch;
    private final List<Slot> slots = new ArrayList<>();
    private final long maxPages;
    // @GuardedBy("this"): reserved after the start, by table
    private final Map<String, Double> sharesSince = new HashMap<>();

    private volatile boolean closed;

    /**
     * Opens the directories; those that cannot be opened are out.
     *
     * @param nanoTime a clock of nanoseconds that never goes back
     * @param executor opens directories again
     * @throws IllegalArgumentException if a directory's size is too small for a cache
     */
    public SegmentPageStore(
            SegmentLayout layout,
            List<Directory> directories,
            LongSupplier nanoTime,
            RandomGenerator random,
            Executor executor) {
        this.layout = requireNonNull(layout, "layout is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.executor = requireNonNull(executor, "executor is null");
        if (directories.isEmpty()) {
            throw new IllegalArgumentException("Expected at least one cache directory, found none");
        }
        this.scratch = new ScratchBuffers(layout.geometry().unitBytes());
        long pages = 0;
        for (Directory directory : directories) {
            pages += layout.units(directory.maxBytes()) / 4;
            slots.add(new Slot(directory, random.nextLong()));
        }
        this.maxPages = pages;
        slots.forEach(Slot::open);
    }

    @Override
    public int pageBytes() {
        return layout.geometry().pageBytes();
    }

    @Override
    public int unitBytes() {
        return Math.min(pageBytes(), layout.geometry().unitPayloadBytes());
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
        Outcome outcome = directory.read(key, offset, buffer, bufferOffset, length);
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
        int pageLength = (int) Math.min(pageBytes(), file.sizeBytes() - page * pageBytes());
        boolean kept =
                directory.put(key, file.table(), pageLength, pageOffset, bytes, offset, length);
        if (!kept) {
            slot.takeOutIfFailed(directory);
        }
        return kept;
    }

    @Override
    public void remove(CachedFile file, long page) {
        PageKey key = file.key(page);
        for (Slot slot : slots) {
            SegmentDirectory directory = slot.directory;
            if (directory != null) {
                directory.remove(key);
            }
        }
    }

    /**
     * Reserves a share of the space for a table, as {@link SegmentLayout#shares} does for those
     * known from the start.
     *
     * @param share from 0 to 1
     * @throws IllegalArgumentException if more than all would be reserved
     */
    public synchronized void reserve(String table, double share) {
        Map<String, Double> reserved = new HashMap<>(layout.shares());
        reserved.putAll(sharesSince);
        reserved.put(requireNonNull(table, "table is null"), share);
        SegmentLayout checked =
                new SegmentLayout(
                        layout.geometry(), layout.unitsPerSegment(), reserved, layout.admission());
        sharesSince.put(table, checked.shares().get(table));
        for (Slot slot : slots) {
            SegmentDirectory directory = slot.directory;
            if (directory != null) {
                directory.reserve(table, share);
            }
        }
    }

    // Together, so that nothing reserved meanwhile is missed
    private synchronized void use(Slot slot, SegmentDirectory opened) {
        sharesSince.forEach(opened::reserve);
        slot.directory = opened;
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

    /** The directory in use that the page belongs to. */
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

    /** A place for a directory, with one in it or not. */
    private final class Slot {
        private final Directory configured;
        private final RandomGenerator random;
        private final long seed;
        private final AtomicBoolean opening = new AtomicBoolean();

        /** What directories that were taken out had counted. */
        private PageStoreStatistics before = PageStoreStatistics.NONE;

        private volatile long openAgainAt;
        volatile @Nullable SegmentDirectory directory;

        Slot(Directory configured, long randomSeed) {
            this.configured = configured;
            this.random = new SplittableRandom(randomSeed);
            this.seed = new CachedFile("", configured.name(), 0).key(0).low();
        }

        /** The smallest of exponential variables, each with the rate of its directory's size. */
        double score(PageKey key) {
            long bits = PageKey.mix(key.low() ^ seed) >>> 11;
            double uniform = (bits + 1) * 0x1.0p-53;
            return -Math.log(uniform) / configured.maxBytes();
        }

        void open() {
            try {
                CacheFiles files = configured.opener().open();
                SegmentDirectory opened =
                        SegmentDirectory.open(
                                configured.name(),
                                configured.maxBytes(),
                                layout,
                                files,
                                scratch,
                                nanoTime,
                                random);
                use(this, opened);
            } catch (IOException e) {
                openAgainAt = nanoTime.getAsLong() + RETRY_NANOS;
            }
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

        private synchronized void openAgain() {
            try {
                if (!closed && directory == null) {
                    open();
                }
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

        synchronized void close() {
            SegmentDirectory open = directory;
            directory = null;
            if (open != null) {
                open.close();
            }
        }
    }
}
