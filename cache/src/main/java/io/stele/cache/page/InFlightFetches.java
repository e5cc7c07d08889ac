package io.stele.cache.page;

import java.io.InterruptedIOException;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;

/**
 * A table of the page cache's fetches in flight, by unit, each until its unit is in the store, so
 * that concurrent readers share them.
 *
 * <p>Invariant: there is at most one fetch of a unit, and it ends even if its thread fails.
 * Thread-safe.
 */
final class InFlightFetches {
    /**
     * The bytes of a fetched unit.
     *
     * @param bytes of the whole fetch; they never change
     * @param offset of the unit in them
     */
    record FetchedUnit(byte[] bytes, int offset) {}

    /**
     * The fetch of one unit. A failed fetch ends empty: the failure may concern its reader only,
     * such as an interrupt, so other readers search and fetch again themselves.
     */
    static final class UnitFetch {
        private final PageKey key;
        private final CompletableFuture<Optional<FetchedUnit>> result = new CompletableFuture<>();

        /**
         * @param key of the unit, by its number in the file
         */
        UnitFetch(PageKey key) {
            this.key = key;
        }

        void complete(FetchedUnit fetchedUnit) {
            result.complete(Optional.of(fetchedUnit));
        }

        /** Whether {@link #await} returns at once. */
        boolean isEnded() {
            return result.isDone();
        }

        /**
         * Waits for the fetch. Empty if it failed: then the caller must check the store or fetch
         * the unit itself.
         */
        Optional<FetchedUnit> await() throws InterruptedIOException {
            try {
                return result.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("A flight lands or ends, it does not fail", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException(
                        String.format(
                                Locale.ROOT,
                                "Expected to get unit %s that another thread loads, found this thread interrupted",
                                key));
            }
        }
    }

    private final ConcurrentMap<PageKey, UnitFetch> inFlight = new ConcurrentHashMap<>();

    /** Empty if the caller must fetch the unit; else the fetch of another caller. */
    Optional<UnitFetch> claim(UnitFetch mine) {
        return Optional.ofNullable(inFlight.putIfAbsent(mine.key, mine));
    }

    /** Ends a fetch, after its unit was stored or given up. */
    void end(UnitFetch fetch) {
        inFlight.remove(fetch.key, fetch);
        fetch.result.complete(Optional.empty());
    }

    /** The number of units in flight. */
    int size() {
        return inFlight.size();
    }
}
