package io.stele.cache.page;

import static java.util.Objects.requireNonNull;

import io.stele.cache.Doorkeeper;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A fetcher of the units of pages that a reader has claimed, which hands them to all waiting
 * readers and offers them to the store.
 *
 * <p>Invariant: every claim that {@link #fetch} receives has ended, or waits to be written into the
 * store, when {@link #fetch} returns or throws. Thread-safe.
 */
final class PageFetcher {
    /** 128 KiB: remembers half a million pages. */
    private static final int ACCESSES_BITS_LOG2 = 20;

    /** The units, ascending, that one reader must fetch. Confined to its thread. */
    static final class Claims {
        private final List<Long> units = new ArrayList<>();
        private final List<InFlightFetches.UnitFetch> inFlight = new ArrayList<>();

        void add(long unit, InFlightFetches.UnitFetch unitFetch) {
            units.add(unit);
            inFlight.add(unitFetch);
        }

        boolean isEmpty() {
            return units.isEmpty();
        }

        void end(InFlightFetches all) {
            inFlight.forEach(all::end);
        }
    }

    private final PageStore store;
    private final InFlightFetches inFlight;
    private final LongSupplier nanoTime;
    private final Executor executor;
    private final PageUnits units;
    private final int maxFetchBytes;
    private final Semaphore fetchBytes;
    private final WaitingFills fills;

    /** Pages fetched for workers that are not their preferred one. */
    private final Doorkeeper accesses = new Doorkeeper(ACCESSES_BITS_LOG2);

    PageFetcher(
            PageStore store,
            InFlightFetches inFlight,
            PageCacheOptions options,
            LongSupplier nanoTime,
            Executor executor,
            Executor later) {
        this.store = requireNonNull(store, "store is null");
        this.inFlight = requireNonNull(inFlight, "inFlight is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.executor = requireNonNull(executor, "executor is null");
        this.units = new PageUnits(store.pageBytes(), store.unitBytes());
        this.maxFetchBytes = Math.max(options.maxFetchBytes(), units.unitBytes());
        this.fetchBytes = new Semaphore(Math.multiplyExact(options.maxFetches(), maxFetchBytes));
        this.fills = new WaitingFills(options.maxFillBytes(), executor, later);
    }

    /** Fetches the ranges in parallel, the first one in this thread. */
    void fetch(PageRead read, Claims claims, RangeLoader loader, TableCounters counters)
            throws IOException {
        List<Fetch> all = fetches(read.file(), claims, loader, counters, Optional.of(read));
        List<CompletableFuture<Void>> others = new ArrayList<>();
        for (Fetch fetch : all.subList(1, all.size())) {
            others.add(start(fetch));
        }
        IOException failure = null;
        try {
            all.getFirst().run();
        } catch (IOException e) {
            failure = e;
        } finally {
            // The other fetches write into the reader's buffer, so they must end before this
            // returns.
            for (CompletableFuture<Void> other : others) {
                failure = joined(other, failure);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * Fetches units that will be read soon, in the background. A range without room in the queue of
     * writes is not fetched.
     *
     * @return completes when all ranges have been fetched or given up, with the fetched bytes;
     *     never fails
     */
    CompletableFuture<Long> fetchAhead(
            CachedFile file, Claims claims, RangeLoader loader, TableCounters counters) {
        List<CompletableFuture<Long>> started = new ArrayList<>();
        for (Fetch fetch : fetches(file, claims, loader, counters, Optional.empty())) {
            if (fills.tryReserve(fetch.length())) {
                fetch.mayFill = true;
                started.add(startAhead(fetch));
            } else {
                counters.skippedFills.add(fetch.pages());
                fetch.unitFetches.forEach(inFlight::end);
            }
        }
        return CompletableFuture.allOf(started.toArray(CompletableFuture<?>[]::new))
                .thenApply(_ -> started.stream().mapToLong(CompletableFuture::join).sum());
    }

    private CompletableFuture<Long> startAhead(Fetch fetch) {
        CompletableFuture<Long> done = new CompletableFuture<>();
        try {
            executor.execute(
                    () -> {
                        long bytes = 0;
                        try {
                            fetch.run();
                            bytes = fetch.length();
                        } catch (IOException e) {
                            // Only counted: the reader of the pages fetches them again and throws
                            // the failure
                        } finally {
                            done.complete(bytes);
                        }
                    });
        } catch (RejectedExecutionException e) {
            fetch.giveUp();
            done.complete(0L);
        }
        return done;
    }

    /**
     * Caches a page that its writer has in memory, in the background, if there is room for it.
     *
     * @param claims all units of the page
     */
    void fill(CachedFile file, Claims claims, long page, byte[] bytes, int length) {
        if (!fills.tryReserve(length)) {
            claims.end(inFlight);
            return;
        }
        for (int i = 0; i < claims.units.size(); i++) {
            int offset = units.offsetInPage(claims.units.get(i));
            claims.inFlight.get(i).complete(new InFlightFetches.FetchedUnit(bytes, offset));
        }
        fills.add(
                new WaitingFills.Fill(
                        file,
                        length,
                        () -> {
                            try {
                                store.put(file, page, bytes, 0, length);
                            } finally {
                                claims.end(inFlight);
                            }
                        },
                        () -> claims.end(inFlight)));
    }

    /** Drops the waiting writes of a file. */
    void drop(CachedFile file) {
        fills.drop(file);
    }

    /** Writes the waiting units into the store, which is still open. */
    void close() {
        fills.close();
    }

    private List<Fetch> fetches(
            CachedFile file,
            Claims claims,
            RangeLoader loader,
            TableCounters counters,
            Optional<PageRead> read) {
        List<Fetch> all = new ArrayList<>();
        int next = 0;
        for (FetchRange range : FetchRange.join(claims.units, units, maxFetchBytes)) {
            List<InFlightFetches.UnitFetch> unitFetches =
                    claims.inFlight.subList(next, next + range.units());
            all.add(new Fetch(file, range, unitFetches, loader, counters, read));
            next += range.units();
        }
        return all;
    }

    private CompletableFuture<Void> start(Fetch fetch) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Runnable task =
                () -> {
                    try {
                        fetch.run();
                        done.complete(null);
                    } catch (Throwable e) {
                        done.completeExceptionally(e);
                    }
                };
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
        }
        return done;
    }

    private static @Nullable IOException joined(
            CompletableFuture<Void> other, @Nullable IOException failure) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    other.get();
                    return failure;
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    if (failure == null) {
                        return e.getCause() instanceof IOException io
                                ? io
                                : new IOException("A loader failed", e.getCause());
                    }
                    failure.addSuppressed(e.getCause());
                    return failure;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The fetch of one range, for a read or a prefetch. */
    private final class Fetch {
        private final CachedFile file;
        private final FetchRange range;
        private final List<InFlightFetches.UnitFetch> unitFetches;
        private final RangeLoader loader;
        private final TableCounters counters;
        private final Optional<PageRead> read;

        /** Whether room for the fetched bytes is reserved. Confined to one thread at a time. */
        private boolean mayFill;

        Fetch(
                CachedFile file,
                FetchRange range,
                List<InFlightFetches.UnitFetch> unitFetches,
                RangeLoader loader,
                TableCounters counters,
                Optional<PageRead> read) {
            this.file = file;
            this.range = range;
            this.unitFetches = unitFetches;
            this.loader = loader;
            this.counters = counters;
            this.read = read;
        }

        private long offset() {
            return units.start(range.firstUnit());
        }

        private int length() {
            return (int) (end(range.lastUnit()) - offset());
        }

        private long end(long unit) {
            return Math.min(file.sizeBytes(), units.end(unit));
        }

        /** The number of pages that have fetched units. */
        private int pages() {
            return (int) (units.page(range.lastUnit()) - units.page(range.firstUnit())) + 1;
        }

        void run() throws IOException {
            fills.fetchBegan();
            try {
                runNow();
            } finally {
                fills.fetchEnded();
            }
        }

        private void runNow() throws IOException {
            boolean loaded = false;
            byte[] bytes;
            try {
                bytes = load();
                loaded = true;
            } finally {
                if (!loaded) {
                    counters.failedLoads.increment();
                    giveUp();
                }
            }
            for (int i = 0; i < range.units(); i++) {
                long start = units.start(range.firstUnit() + i);
                int at = (int) (start - offset());
                if (read.isPresent()) {
                    read.get().copy(start, units.end(range.firstUnit() + i), bytes, at);
                }
                unitFetches.get(i).complete(new InFlightFetches.FetchedUnit(bytes, at));
            }
            fill(bytes);
        }

        /** Ends the claims without bytes; other readers then fetch the pages themselves. */
        private void giveUp() {
            if (mayFill) {
                fills.release(length());
            }
            unitFetches.forEach(inFlight::end);
        }

        private byte[] load() throws IOException {
            int length = length();
            acquireFetch(length);
            try {
                byte[] bytes = new byte[length];
                long start = nanoTime.getAsLong();
                loader.load(offset(), bytes, 0, length);
                counters.loaded(length, nanoTime.getAsLong() - start);
                return bytes;
            } finally {
                fetchBytes.release(length);
            }
        }

        private void acquireFetch(int length) throws InterruptedIOException {
            try {
                fetchBytes.acquire(length);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException(
                        String.format(
                                Locale.ROOT,
                                "Expected to fetch %s of %s, found this thread interrupted",
                                range,
                                file));
            }
        }

        /** The claims last until the store has the units, so that no reader fetches them again. */
        private void fill(byte[] bytes) {
            if (file.admitsOnSecondAccess() && !wereAccessed()) {
                counters.firstAccessPages.add(pages());
                giveUp();
                return;
            }
            if (!mayFill && !fills.tryReserve(bytes.length)) {
                skip();
                return;
            }
            fills.add(new WaitingFills.Fill(file, bytes.length, () -> write(bytes), this::skip));
        }

        private void skip() {
            counters.skippedFills.add(pages());
            unitFetches.forEach(inFlight::end);
        }

        /** Whether most pages were fetched before; records this fetch. */
        private boolean wereAccessed() {
            int accessed = 0;
            long first = units.page(range.firstUnit());
            for (int i = 0; i < pages(); i++) {
                accessed += accesses.recordAccess(file.key(first + i).hashCode()) ? 1 : 0;
            }
            return 2 * accessed > pages();
        }

        /** Writes the fetched units, page by page. */
        private void write(byte[] bytes) {
            int next = 0;
            try {
                while (next < range.units()) {
                    long unit = range.firstUnit() + next;
                    long page = units.page(unit);
                    long start = units.start(unit);
                    int end = next;
                    while (end < range.units() && units.page(range.firstUnit() + end) == page) {
                        end++;
                    }
                    store.put(
                            file,
                            page,
                            units.offsetInPage(unit),
                            bytes,
                            (int) (start - offset()),
                            (int) (end(range.firstUnit() + end - 1) - start));
                    unitFetches.subList(next, end).forEach(inFlight::end);
                    next = end;
                }
            } finally {
                unitFetches.subList(next, unitFetches.size()).forEach(inFlight::end);
            }
        }
    }
}
