package io.stele.storage.retrieval;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The ranges that are being read, so that whoever wants the same bytes, or some of them, waits for
 * those instead of asking again. Who leads a flight copies its bytes to those who joined it, before
 * it goes on with them itself. Thread-safe, guarded by itself; bytes are copied without the lock.
 *
 * <p>Failures are not shared: those who joined a flight that failed ask for themselves.
 */
final class Flights {
    private final Map<String, List<Flight>> byObject = new HashMap<>();

    /** A range that somebody reads. Guarded by the flights. */
    static final class Flight {
        private final String object;
        private final ByteRange range;
        private final ByteBuffer target;
        private final List<Passenger> passengers = new ArrayList<>();

        private Flight(String object, ByteRange range, ByteBuffer target) {
            this.object = object;
            this.range = range;
            this.target = target;
        }
    }

    /** Somebody who waits for a flight. */
    static final class Passenger {
        private final Flight flight;
        private final ByteRange range;
        private final ByteBuffer target;
        private final CompletableFuture<@Nullable ObjectVersion> arrival =
                new CompletableFuture<>();

        private Passenger(Flight flight, ByteRange range, ByteBuffer target) {
            this.flight = flight;
            this.range = range;
            this.target = target;
        }

        /** Completes when the bytes are there, with null where the flight has failed. */
        CompletableFuture<@Nullable ObjectVersion> arrival() {
            return arrival;
        }
    }

    /**
     * How a reader comes to its bytes: by a flight that it leads, or as a passenger of another's.
     * One of both is null.
     */
    record Seat(@Nullable Flight led, @Nullable Passenger joined) {}

    /** Joins a flight that brings these bytes, or begins one, which {@link #end} ends. */
    synchronized Seat take(String object, ByteRange range, ByteBuffer target) {
        for (Flight flight : byObject.getOrDefault(object, List.of())) {
            if (flight.range.contains(range)) {
                Passenger passenger = new Passenger(flight, range, target);
                flight.passengers.add(passenger);
                return new Seat(null, passenger);
            }
        }
        Flight flight = new Flight(object, range, target);
        byObject.computeIfAbsent(object, _ -> new ArrayList<>(1)).add(flight);
        return new Seat(flight, null);
    }

    /**
     * Ends a flight.
     *
     * @param version of the bytes that are in the target; null if they are not
     */
    void end(Flight flight, @Nullable ObjectVersion version) {
        List<Passenger> passengers;
        synchronized (this) {
            remove(flight);
            passengers = List.copyOf(flight.passengers);
            flight.passengers.clear();
        }
        for (Passenger passenger : passengers) {
            if (version != null) {
                int at = (int) (passenger.range.offset() - flight.range.offset());
                ByteBuffer from = flight.target.duplicate();
                passenger
                        .target
                        .duplicate()
                        .put(from.slice(from.position() + at, passenger.range.length()));
            }
            passenger.arrival.complete(version);
        }
    }

    /**
     * Leaves a flight that is not waited for any more. Where its bytes are being copied already,
     * their arrival is still to be waited for.
     *
     * @return whether the passenger's target is left alone from now on
     */
    synchronized boolean leave(Passenger passenger) {
        return passenger.flight.passengers.remove(passenger);
    }

    /** Nobody joins present flights of an object any more: it may have changed. */
    synchronized void forget(String object) {
        byObject.remove(requireNonNull(object, "object is null"));
    }

    private void remove(Flight flight) {
        List<Flight> flights = byObject.get(flight.object);
        if (flights != null && flights.remove(flight) && flights.isEmpty()) {
            byObject.remove(flight.object);
        }
    }

    synchronized int size() {
        return byObject.values().stream().mapToInt(List::size).sum();
    }
}
