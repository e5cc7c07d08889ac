package io.stele.protocol.flight;

import io.grpc.Metadata;
import io.stele.protocol.api.status.ReadCounters;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A codec of {@link ReadCounters} in the gRPC trailer {@code stele-read-counters}, with which a
 * sidecar ends a stream of rows: {@code name=number} pairs with spaces between them. A reader
 * ignores names that it does not know, and takes 0 for absent ones, so that either side may be
 * newer.
 */
public final class ReadCountersTrailer {
    private static final Metadata.Key<String> COUNTERS =
            Metadata.Key.of("stele-read-counters", Metadata.ASCII_STRING_MARSHALLER);

    private ReadCountersTrailer() {}

    /** Adds counters to the trailers of a call. */
    public static void put(ReadCounters counters, Metadata trailers) {
        trailers.put(
                COUNTERS,
                "requests="
                        + counters.requests()
                        + " rounds="
                        + counters.rounds()
                        + " hedges="
                        + counters.hedges()
                        + " store-bytes="
                        + counters.storeBytes()
                        + " disk-bytes="
                        + counters.diskBytes()
                        + " memory-bytes="
                        + counters.memoryBytes());
    }

    /** The counters in the trailers of a call; empty if there are none that can be understood. */
    public static Optional<ReadCounters> find(Metadata trailers) {
        String text = trailers.get(COUNTERS);
        if (text == null) {
            return Optional.empty();
        }
        Map<String, Long> numbers = new HashMap<>();
        try {
            for (String pair : text.split(" ", -1)) {
                int equals = pair.indexOf('=');
                if (equals > 0) {
                    numbers.put(
                            pair.substring(0, equals), Long.parseLong(pair.substring(equals + 1)));
                }
            }
        } catch (NumberFormatException notCounters) {
            return Optional.empty(); // they only inform
        }
        return Optional.of(
                new ReadCounters(
                        numbers.getOrDefault("requests", 0L),
                        numbers.getOrDefault("rounds", 0L),
                        numbers.getOrDefault("hedges", 0L),
                        numbers.getOrDefault("store-bytes", 0L),
                        numbers.getOrDefault("disk-bytes", 0L),
                        numbers.getOrDefault("memory-bytes", 0L)));
    }
}
