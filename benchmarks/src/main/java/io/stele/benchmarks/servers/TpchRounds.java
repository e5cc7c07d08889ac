package io.stele.benchmarks.servers;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Medians;
import io.stele.testing.TpchQuery;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * A runner of the same queries in several places that hold the same rows, which measures their
 * times. It compares the results; a difference fails the benchmark. In each round every query runs
 * once in every place, in an order that rotates. Confined to one thread.
 */
public final class TpchRounds {
    /**
     * The place of tables.
     *
     * @param label in names of metrics
     * @param properties session properties of the catalog, as literals of SQL
     */
    public record Place(
            String label, String catalog, String schema, Map<String, String> properties) {
        public Place {
            requireNonNull(label, "label is null");
            requireNonNull(catalog, "catalog is null");
            requireNonNull(schema, "schema is null");
            properties = Map.copyOf(properties);
        }

        public Place(String label, String catalog, String schema) {
            this(label, catalog, schema, Map.of());
        }

        /** The same tables, with or without results and filtered rows of earlier queries. */
        public Place withResults(String newLabel, boolean isOn) {
            return new Place(
                    newLabel,
                    catalog,
                    schema,
                    Map.of("fragment_cache_enabled", Boolean.toString(isOn)));
        }
    }

    private final LongSupplier requestCount;
    private TrinoSession trino;
    private final Map<String, List<List<Object>>> expected = new HashMap<>();
    private final Map<String, List<Double>> millis = new LinkedHashMap<>();
    private final Map<String, List<Double>> requests = new LinkedHashMap<>();
    private int round;

    public TpchRounds(TrinoSession trino) {
        this(trino, () -> 0);
    }

    /**
     * @param requestCount of requests to the store so far
     */
    public TpchRounds(TrinoSession trino, LongSupplier requestCount) {
        this.trino = requireNonNull(trino, "trino is null");
        this.requestCount = requireNonNull(requestCount, "requestCount is null");
    }

    /** Queries are from now on asked over this session, as that of a server started anew. */
    public void use(TrinoSession session) {
        trino = requireNonNull(session, "session is null");
    }

    /** Runs {@code rounds} rounds; earlier measurements are dropped. */
    public void run(int rounds, List<TpchQuery> queries, List<Place> places) throws SQLException {
        millis.clear();
        requests.clear();
        runMore(rounds, queries, places);
    }

    /** The same, and earlier measurements stay. */
    public void runMore(int rounds, List<TpchQuery> queries, List<Place> places)
            throws SQLException {
        List<Place> order = new ArrayList<>(places);
        for (int i = 0; i < rounds; i++) {
            Collections.rotate(order, round++);
            for (TpchQuery query : queries) {
                for (Place place : order) {
                    ask(query, place);
                }
            }
        }
    }

    private void ask(TpchQuery query, Place place) throws SQLException {
        trino.use(place.catalog(), place.schema());
        for (Map.Entry<String, String> property : place.properties().entrySet()) {
            trino.set(place.catalog(), property.getKey(), property.getValue());
        }
        long requestsBefore = requestCount.getAsLong();
        long start = System.nanoTime();
        List<List<Object>> found = trino.query(query.sql());
        millis.computeIfAbsent(key(query, place), _ -> new ArrayList<>())
                .add((System.nanoTime() - start) / 1e6);
        requests.computeIfAbsent(key(query, place), _ -> new ArrayList<>())
                .add((double) (requestCount.getAsLong() - requestsBefore));
        List<List<Object>> first = expected.putIfAbsent(query.sql(), found);
        if (first != null && !TpchQueries.agree(first, found)) {
            throw new IllegalStateException(
                    "Expected %s of %s to give %s, found %s"
                            .formatted(query.name(), place.label(), first, found));
        }
    }

    private static String key(TpchQuery query, Place place) {
        return query.name() + " " + place.label();
    }

    /** The times of a query in a place since {@link #run} began, in milliseconds. */
    public List<Double> millis(TpchQuery query, Place place) {
        return millis.getOrDefault(key(query, place), List.of());
    }

    /** The median of these. */
    public double median(TpchQuery query, Place place) {
        return Medians.median(millis(query, place));
    }

    /** The requests to the store of each of these. */
    public List<Double> requests(TpchQuery query, Place place) {
        return requests.getOrDefault(key(query, place), List.of());
    }
}
