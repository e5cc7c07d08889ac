package io.stele.benchmarks.choices;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.servers.TpchQueries;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.testing.DelayingS3Proxy;
import io.stele.testing.TpchQuery;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A runner of queries with each planning choice of the connector forced, which measures times and
 * requests. It compares the results; a difference fails the benchmark. Confined to one thread.
 */
final class ChoiceRounds {
    private static final double HOPELESS_TIMES = 5;
    private static final int MAX_SECONDS = 20;

    /** Trino's code. */
    private static final int EXCEEDED_TIME_LIMIT = 0x2_0003;

    private final DelayingS3Proxy proxy;
    private final List<TpchQuery> queries;
    private final Map<String, List<List<Object>>> expected = new HashMap<>();
    private final Map<String, List<Double>> millis = new HashMap<>();
    private final Map<String, List<Double>> requests = new HashMap<>();
    private final Set<String> hopeless = new HashSet<>();
    private TrinoSession trino;
    private String phase = "";
    private boolean isCached = true;

    ChoiceRounds(TrinoSession trino, DelayingS3Proxy proxy, List<TpchQuery> queries) {
        this.trino = requireNonNull(trino, "trino is null");
        this.proxy = requireNonNull(proxy, "proxy is null");
        this.queries = List.copyOf(queries);
    }

    /** Queries are from now on asked over this session, as that of a server started anew. */
    ChoiceRounds use(TrinoSession session) {
        trino = requireNonNull(session, "session is null");
        return this;
    }

    /**
     * Queries from now on are measured under this name.
     *
     * @param newCached whether results of earlier queries are used, as by default
     */
    ChoiceRounds phase(String newPhase, boolean newCached) {
        phase = newPhase;
        isCached = newCached;
        return this;
    }

    /**
     * Runs all queries with all choices for the first time. A choice that takes much longer than
     * the defaults is not run any more: it will not be the best, and would take most of the time.
     */
    void askFirst(String catalog, String schema) throws SQLException {
        ask(Choice.DEFAULT, catalog, schema);
        trino.update("SET SESSION query_max_execution_time = '%ds'".formatted(MAX_SECONDS));
        for (Choice choice : Choice.values()) {
            for (TpchQuery query : queries) {
                try {
                    ask(query, choice, catalog, schema);
                    if (leastMillis(phase, query, choice)
                            > HOPELESS_TIMES * leastMillis(phase, query, Choice.DEFAULT)) {
                        hopeless.add(key("", query, choice));
                    }
                } catch (SQLException e) {
                    if (e.getErrorCode() != EXCEEDED_TIME_LIMIT) {
                        throw e;
                    }
                    hopeless.add(key("", query, choice));
                }
            }
        }
        trino.update("RESET SESSION query_max_execution_time");
    }

    /** Runs all queries with one choice. */
    void ask(Choice choice, String catalog, String schema) throws SQLException {
        for (TpchQuery query : queries) {
            ask(query, choice, catalog, schema);
        }
    }

    /** Runs each query with all choices before the next query, in an order that rotates. */
    ChoiceRounds interleaved(int rounds, String catalog, String schema) throws SQLException {
        List<Choice> order = new ArrayList<>(Arrays.asList(Choice.values()));
        for (int round = 0; round < rounds; round++) {
            for (TpchQuery query : queries) {
                for (Choice choice : order) {
                    ask(query, choice, catalog, schema);
                }
            }
            Collections.rotate(order, 1);
        }
        return this;
    }

    private void ask(TpchQuery query, Choice choice, String catalog, String schema)
            throws SQLException {
        if (hopeless.contains(key("", query, choice))) {
            return;
        }
        trino.use(catalog, schema);
        trino.set(catalog, "fragment_cache_enabled", String.valueOf(isCached));
        for (Map.Entry<String, String> property : choice.sessionProperties().entrySet()) {
            trino.set(catalog, property.getKey(), property.getValue());
        }
        long readsBefore = proxy.reads();
        long start = System.nanoTime();
        List<List<Object>> found = trino.query(query.sql());
        add(millis, query, choice, (System.nanoTime() - start) / 1e6);
        add(requests, query, choice, (double) (proxy.reads() - readsBefore));
        List<List<Object>> first = expected.putIfAbsent(query.name(), found);
        if (first != null && !TpchQueries.agree(first, found)) {
            throw new IllegalStateException(
                    "Expected %s with %s to give %s, found %s"
                            .formatted(query.name(), choice.label(), first, found));
        }
    }

    private void add(
            Map<String, List<Double>> values, TpchQuery query, Choice choice, double value) {
        values.computeIfAbsent(key(phase, query, choice), _ -> new ArrayList<>()).add(value);
    }

    private static String key(String phase, TpchQuery query, Choice choice) {
        return "%s %s %s".formatted(phase, query.name(), choice.label());
    }

    /** Of the rounds of a phase; infinite for what was left out. */
    double leastMillis(String ofPhase, TpchQuery query, Choice choice) {
        return millis.getOrDefault(key(ofPhase, query, choice), List.of()).stream()
                .min(Comparator.naturalOrder())
                .orElse(Double.POSITIVE_INFINITY);
    }

    /** The time of the best choice. */
    double best(String ofPhase, TpchQuery query) {
        return Arrays.stream(Choice.values())
                .mapToDouble(choice -> leastMillis(ofPhase, query, choice))
                .min()
                .orElseThrow();
    }

    void report(String ofPhase, Metrics metrics) {
        for (TpchQuery query : queries) {
            for (Choice choice : Choice.values()) {
                String key = key(ofPhase, query, choice);
                if (!millis.containsKey(key)) {
                    continue;
                }
                metrics.put(key + " ms", leastMillis(ofPhase, query, choice));
                metrics.put(key + " requests", Medians.median(requireNonNull(requests.get(key))));
            }
        }
    }
}
