package io.stele.cache.page;

import java.io.InterruptedIOException;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;

/**
 * Units of pages that are being fetched, or were and are not in the store yet.
 *
 * <p>Invariant: of one unit there is at most one flight, and it ends, whatever happens to the
 * thread that flies it. Thread-safe.
 */
final class PageFlights {
    /**
     * Bytes of a unit that was fetched.
     *
     * @param bytes those of the whole fetch; nobody changes them
     * @param offset where the unit begins in them
     */
    record Landed(byte[] bytes, int offset) {}

    /**
     * One unit on its way. A fetch that failed lands empty: the failure may be its reader's own, an
     * interrupt for example, and the others look again for themselves.
     */
    static final class Flight {
        private final PageKey key;
        private final CompletableFuture<Optional<Landed>> landing = new CompletableFuture<>();

        /**
         * @param key of the unit, by its number in the file
         */
        Flight(PageKey key) {
            this.key = key;
        }

        void land(Landed landed) {
            landing.complete(Optional.of(landed));
        }

        /** Waits for the one who fetches it. Empty if the caller has to look for itself. */
        Optional<Landed> await() throws InterruptedIOException {
            try {
                return landing.get();
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

    private final ConcurrentMap<PageKey, Flight> flights = new ConcurrentHashMap<>();

    /** Empty if the unit is the caller's to fetch now; else the flight of somebody else. */
    Optional<Flight> claim(Flight mine) {
        return Optional.ofNullable(flights.putIfAbsent(mine.key, mine));
    }

    /** The unit is in the store now, or nowhere. */
    void end(Flight flight) {
        flights.remove(flight.key, flight);
        flight.landing.complete(Optional.empty());
    }

    /** Units on their way. */
    int size() {
        return flights.size();
    }
}
