package io.stele.benchmarks.servers;

import static java.util.Objects.requireNonNull;

import io.stele.testing.TpchQuery;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
     */
    public record Place(String label, String catalog, String schema) {
        public Place {
            requireNonNull(label, "label is null");
            requireNonNull(catalog, "catalog is null");
            requireNonNull(schema, "schema is null");
        }
    }

    private final TrinoSession trino;
    private final Map<String, List<List<Object>>> expected = new HashMap<>();
    private final Map<String, List<Double>> millis = new LinkedHashMap<>();
    private int round;

    public TpchRounds(TrinoSession trino) {
        this.trino = requireNonNull(trino, "trino is null");
    }

    /** Runs {@code rounds} rounds; earlier times are dropped. */
    public void run(int rounds, List<TpchQuery> queries, List<Place> places) throws SQLException {
        millis.clear();
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
        long start = System.nanoTime();
        List<List<Object>> found = trino.query(query.sql());
        millis.computeIfAbsent(key(query, place), _ -> new ArrayList<>())
                .add((System.nanoTime() - start) / 1e6);
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
}
