package io.stele.cache.page;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Fetches pages that a reader has claimed, hands them to all who wait, and offers them to the
 * store.
 *
 * <p>Invariant: every claim that comes in has ended, or waits to be written into the store, when
 * {@link #fetch} returns or throws. Thread-safe.
 */
final class PageFetcher {
    /** Pages, ascending, that are one reader's to fetch. Confined to its thread. */
    static final class Claims {
        private final List<Long> pages = new ArrayList<>();
        private final List<PageFlights.Flight> flights = new ArrayList<>();

        void add(long page, PageFlights.Flight flight) {
            pages.add(page);
            flights.add(flight);
        }

        boolean isEmpty() {
            return pages.isEmpty();
        }

        void end(PageFlights all) {
            flights.forEach(all::end);
        }
    }

    private final PageStore store;
    private final PageFlights flights;
    private final LongSupplier nanoTime;
    private final Executor executor;
    private final int pageBytes;
    private final int maxPagesOfFetch;
    private final Semaphore fetches;
    private final Semaphore fillBytes;

    PageFetcher(
            PageStore store,
            PageFlights flights,
            PageCacheOptions options,
            LongSupplier nanoTime,
            Executor executor) {
        this.store = requireNonNull(store, "store is null");
        this.flights = requireNonNull(flights, "flights is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.executor = requireNonNull(executor, "executor is null");
        this.pageBytes = store.pageBytes();
        this.maxPagesOfFetch = Math.max(1, options.maxFetchBytes() / pageBytes);
        this.fetches = new Semaphore(options.maxFetches());
        this.fillBytes = new Semaphore(options.maxFillBytes());
    }

    /** Several ranges are fetched side by side, the first one in this thread. */
    void fetch(PageRead read, Claims claims, RangeLoader loader, TableCounters counters)
            throws IOException {
        List<Fetch> all = new ArrayList<>();
        int next = 0;
        for (FetchRange range : FetchRange.join(claims.pages, maxPagesOfFetch)) {
            List<PageFlights.Flight> flown = claims.flights.subList(next, next + range.pages());
            all.add(new Fetch(read, range, flown, loader, counters));
            next += range.pages();
        }
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
            // The others write into the reader's buffer: they end before it returns.
            for (CompletableFuture<Void> other : others) {
                failure = joined(other, failure);
            }
        }
        if (failure != null) {
            throw failure;
        }
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

    /** One range of one read. */
    private final class Fetch {
        private final PageRead read;
        private final FetchRange range;
        private final List<PageFlights.Flight> flown;
        private final RangeLoader loader;
        private final TableCounters counters;

        Fetch(
                PageRead read,
                FetchRange range,
                List<PageFlights.Flight> flown,
                RangeLoader loader,
                TableCounters counters) {
            this.read = read;
            this.range = range;
            this.flown = flown;
            this.loader = loader;
            this.counters = counters;
        }

        void run() throws IOException {
            boolean loaded = false;
            byte[] bytes;
            try {
                bytes = load();
                loaded = true;
            } finally {
                if (!loaded) {
                    counters.failedLoads.increment();
                    flown.forEach(flights::end);
                }
            }
            for (int i = 0; i < range.pages(); i++) {
                read.copy(range.firstPage() + i, bytes, i * pageBytes);
                flown.get(i).land(new PageFlights.Landed(bytes, i * pageBytes));
            }
            fill(bytes);
        }

        private byte[] load() throws IOException {
            long offset = range.firstPage() * pageBytes;
            long end =
                    Math.min(
                            read.file().sizeBytes(),
                            (range.firstPage() + range.pages()) * pageBytes);
            int length = (int) (end - offset);
            acquireFetch();
            try {
                byte[] bytes = new byte[length];
                long start = nanoTime.getAsLong();
                loader.load(offset, bytes, 0, length);
                counters.loaded(length, nanoTime.getAsLong() - start);
                return bytes;
            } finally {
                fetches.release();
            }
        }

        private void acquireFetch() throws InterruptedIOException {
            try {
                fetches.acquire();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException(
                        String.format(
                                Locale.ROOT,
                                "Expected to fetch %s of %s, found this thread interrupted",
                                range,
                                read.file()));
            }
        }

        /** The flights stay until the store has the pages, so that nobody fetches them again. */
        private void fill(byte[] bytes) {
            if (!fillBytes.tryAcquire(bytes.length)) {
                counters.skippedFills.add(range.pages());
                flown.forEach(flights::end);
                return;
            }
            try {
                executor.execute(() -> fillNow(bytes));
            } catch (RejectedExecutionException e) {
                fillBytes.release(bytes.length);
                counters.skippedFills.add(range.pages());
                flown.forEach(flights::end);
            }
        }

        private void fillNow(byte[] bytes) {
            int next = 0;
            try {
                for (; next < range.pages(); next++) {
                    long page = range.firstPage() + next;
                    store.put(read.file(), page, bytes, next * pageBytes, read.pageLength(page));
                    flights.end(flown.get(next));
                }
            } finally {
                fillBytes.release(bytes.length);
                flown.subList(next, flown.size()).forEach(flights::end);
            }
        }
    }
}
