package io.stele.benchmarks.hos;

import static java.util.Objects.requireNonNull;

import io.stele.client.flight.FlightClient;
import io.stele.protocol.QueryIdentity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The arrivals and departures of figure 8(b) of the Hologres paper (PVLDB 2020) on a real sidecar,
 * through its Flight port. Each query is a user with a scheduling group of its own, all of equal
 * shares, and scans with 1 to 8 clients; all scans cost the same. Measured is each query's part of
 * the scans that ended in a window.
 */
final class SidecarBurst {
    /** Windows until the last query leaves. */
    private static final int WINDOWS = 70;

    private static final List<Query> QUERIES = paper();

    private SidecarBurst() {}

    /**
     * A query of the experiment.
     *
     * @param name as the paper calls it, also its user and its scheduling group
     * @param fromWindow the first window in which it scans
     * @param toWindow the first window in which it is gone
     * @param clients that scan
     */
    record Query(String name, int fromWindow, int toWindow, int clients) {
        Query {
            requireNonNull(name, "name is null");
        }

        private boolean runsIn(int window) {
            return window >= fromWindow && window < toWindow;
        }
    }

    private static List<Query> paper() {
        List<Query> queries = new ArrayList<>();
        queries.add(new Query("Q1", 0, 50, 1));
        queries.add(new Query("Q2", 0, 50, 2));
        for (int i = 3; i <= 7; i++) {
            queries.add(new Query("Q" + i, 5, 30, i));
        }
        queries.add(new Query("Q8", 40, WINDOWS, 8));
        queries.add(new Query("Q9", 60, WINDOWS, 1));
        queries.add(new Query("Q10", 60, WINDOWS, 2));
        return queries;
    }

    /** The file of scheduling groups that the sidecar needs. */
    static String groups() {
        return """
               {"groups": [%s],
                "selectors": [%s]}"""
                .formatted(
                        joined("{\"name\": \"%1$s\"}"),
                        joined("{\"user\": \"%1$s\", \"group\": \"%1$s\"}"));
    }

    private static String joined(String pattern) {
        return QUERIES.stream()
                .map(query -> pattern.formatted(query.name()))
                .collect(Collectors.joining(", "));
    }

    /** Runs the experiment. */
    static Result run(FlightClient flight, String table, long windowMillis)
            throws InterruptedException {
        Map<Query, long[]> scans = new LinkedHashMap<>();
        QUERIES.forEach(query -> scans.put(query, new long[WINDOWS]));
        Map<Query, FilteringScans> present = new HashMap<>();
        long start = System.nanoTime();
        try {
            for (int window = 0; window < WINDOWS; window++) {
                Map<Query, Long> before = new HashMap<>();
                for (Query query : QUERIES) {
                    if (query.fromWindow() == window) {
                        QueryIdentity user = new QueryIdentity(query.name(), "", "");
                        present.put(
                                query, FilteringScans.start(flight, table, query.clients(), user));
                    } else if (query.toWindow() == window) {
                        requireNonNull(present.remove(query), query.name()).close();
                    }
                }
                present.forEach((query, scanning) -> before.put(query, scanning.finished()));
                long end = start + TimeUnit.MILLISECONDS.toNanos((window + 1) * windowMillis);
                TimeUnit.NANOSECONDS.sleep(end - System.nanoTime());
                for (Map.Entry<Query, FilteringScans> entry : present.entrySet()) {
                    Query query = entry.getKey();
                    requireNonNull(scans.get(query), query.name())[window] =
                            entry.getValue().finished()
                                    - requireNonNull(before.get(query), query.name());
                }
            }
        } finally {
            for (FilteringScans scanning : present.values()) {
                scanning.close();
            }
        }
        return Result.of(scans, windowMillis);
    }

    /**
     * The result.
     *
     * @param shares of each query: its part of all scans in each window
     */
    record Result(Map<Query, double[]> shares, long windowMillis) {
        static Result of(Map<Query, long[]> scans, long windowMillis) {
            Map<Query, double[]> shares = new LinkedHashMap<>();
            scans.keySet().forEach(query -> shares.put(query, new double[WINDOWS]));
            for (int window = 0; window < WINDOWS; window++) {
                long sum = 0;
                for (long[] of : scans.values()) {
                    sum += of[window];
                }
                for (Map.Entry<Query, long[]> entry : scans.entrySet()) {
                    requireNonNull(shares.get(entry.getKey()), "no shares")[window] =
                            sum == 0 ? 0 : (double) entry.getValue()[window] / sum;
                }
            }
            return new Result(shares, windowMillis);
        }

        List<Query> queries() {
            return List.copyOf(shares.keySet());
        }

        /** The shares of a query in each window. */
        double[] sharesOf(Query query) {
            return requireNonNull(shares.get(query), query.name());
        }

        /** The greatest deviation of each window's shares from equal ones, relative to those. */
        List<Double> deviations() {
            List<Double> deviations = new ArrayList<>();
            for (int window = 0; window < WINDOWS; window++) {
                int present = 0;
                for (Query query : shares.keySet()) {
                    present += query.runsIn(window) ? 1 : 0;
                }
                double deviation = 0;
                for (Query query : shares.keySet()) {
                    if (query.runsIn(window)) {
                        deviation =
                                Math.max(
                                        deviation, Math.abs(sharesOf(query)[window] * present - 1));
                    }
                }
                deviations.add(deviation);
            }
            return deviations;
        }
    }
}
