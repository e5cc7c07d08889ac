package io.stele.cache.page;

import java.io.InterruptedIOException;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;

/**
 * The fetches in flight of units of pages, each until its unit is in the store.
 *
 * <p>Invariant: there is at most one fetch of a unit, and it ends even if its thread fails.
 * Thread-safe.
 */
final class InFlightFetches {
    /**
     * Bytes of a unit that was fetched.
     *
     * @param bytes those of the whole fetch; they never change
     * @param offset of the unit in them
     */
    record FetchedUnit(byte[] bytes, int offset) {}

    /**
     * The fetch of one unit. A fetch that failed ends empty: the failure may be its reader's own,
     * an interrupt for example, and the others look again for themselves.
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

        /** Whether {@link #await} gives its result at once. */
        boolean isEnded() {
            return result.isDone();
        }

        /**
         * Waits for the fetch. Empty if it brought nothing, so that the caller must check the store
         * or fetch itself.
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

    /** The unit is in the store now, or nowhere. */
    void end(UnitFetch fetch) {
        inFlight.remove(fetch.key, fetch);
        fetch.result.complete(Optional.empty());
    }

    /** Units on their way. */
    int size() {
        return inFlight.size();
    }
}
