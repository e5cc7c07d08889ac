package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A table of the ranges that are being read, for single-flight reads in the download manager. A
 * reader of the same bytes, or of a part of them, waits for the read in flight and sends no
 * request.
 *
 * <p>The reader that leads a read copies its bytes to those that joined, before it uses them
 * itself. Thread-safe: guarded by its own lock; bytes are copied outside the lock.
 *
 * <p>Failures are not shared: readers that joined a failed read send requests of their own.
 */
final class Flights {
    private final Map<String, List<Flight>> byObject = new HashMap<>();

    /** A range that is being read. Guarded by the table. */
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

    /** A reader that waits for another's read. */
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

        /** Completes when the bytes are there, with null if the read has failed. */
        CompletableFuture<@Nullable ObjectVersion> arrival() {
            return arrival;
        }
    }

    /**
     * How a reader gets its bytes: by a read that it leads, or by joining another's. One of both is
     * null.
     */
    record Seat(@Nullable Flight led, @Nullable Passenger joined) {}

    /** Joins a read in flight that includes these bytes, or begins one, which {@link #end} ends. */
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
     * Ends a read.
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
     * Leaves a read that is not waited for any more. If its bytes are being copied already, the
     * caller must still wait for the copy.
     *
     * @return whether the reader's target is not written to any more
     */
    synchronized boolean leave(Passenger passenger) {
        return passenger.flight.passengers.remove(passenger);
    }

    /** No reader joins present reads of an object any more, because it may have changed. */
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
