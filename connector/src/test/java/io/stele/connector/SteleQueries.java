package io.stele.connector;

import static io.stele.connector.SameRows.assertSameRows;
import static io.trino.testing.assertions.Assert.assertEventually;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.airlift.units.Duration;
import io.trino.Session;
import io.trino.execution.QueryManager;
import io.trino.execution.QueryStats;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.testing.MaterializedResult;
import io.trino.testing.QueryFailedException;
import io.trino.testing.QueryRunner.MaterializedResultWithPlan;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Short forms of what the integration tests ask of a cluster. */
final class SteleQueries {
    private static final AtomicInteger TABLES = new AtomicInteger();

    private final SteleCluster cluster;

    SteleQueries(SteleCluster cluster) {
        this.cluster = cluster;
    }

    /** A name that no other test has. */
    static String newTable(String prefix) {
        return prefix + "_" + TABLES.incrementAndGet();
    }

    MaterializedResult run(String sql) {
        return cluster.runner().execute(sql);
    }

    /** The number of rows that a write reports. */
    long update(String sql) {
        return run(sql).getUpdateCount().orElse(-1);
    }

    Object value(String sql) {
        return run(sql).getOnlyValue();
    }

    long count(String sql) {
        return (long) value(sql);
    }

    /** How many rows of a table match each of some predicates, by one statement: much cheaper. */
    List<Long> counts(String table, List<String> predicates) {
        StringBuilder sql = new StringBuilder();
        for (int i = 0; i < predicates.size(); i++) {
            sql.append(i == 0 ? "" : " UNION ALL ")
                    .append(
                            "SELECT %s, count(*) FROM %s WHERE %s"
                                    .formatted(i, table, predicates.get(i)));
        }
        return run(sql + " ORDER BY 1").getMaterializedRows().stream()
                .map(row -> (Long) row.getField(1))
                .toList();
    }

    /**
     * That a query gives the same of two tables with each of some predicates, by a statement each:
     * much cheaper.
     *
     * @param query of a table, before WHERE
     */
    void assertSameForEach(String query, List<String> predicates, String actual, String expected) {
        assertSame(
                forEach(query.formatted(actual), predicates),
                forEach(query.formatted(expected), predicates));
    }

    private static String forEach(String query, List<String> predicates) {
        return IntStream.range(0, predicates.size())
                .mapToObj(
                        i ->
                                "SELECT %s, * FROM (%s WHERE %s)"
                                        .formatted(i, query, predicates.get(i)))
                .collect(Collectors.joining(" UNION ALL "));
    }

    List<String> column(String sql) {
        return run(sql).getMaterializedRows().stream()
                .map(row -> String.valueOf(row.getField(0)))
                .toList();
    }

    void assertSame(String actual, String expected) {
        assertSameRows(
                actual, run(actual).getMaterializedRows(), run(expected).getMaterializedRows());
    }

    /**
     * That queries give the same rows, which are not fetched but counted and summed up: for many
     * rows.
     *
     * @param columns of the results, by commas
     */
    void assertSameContent(String actual, String expected, String columns) {
        String content = "SELECT count(*), to_hex(checksum(ROW(%s))) FROM (%%s)".formatted(columns);
        assertThat(run(content.formatted(actual)).getMaterializedRows())
                .as(actual)
                .isEqualTo(run(content.formatted(expected)).getMaterializedRows());
    }

    /** The failure of a statement that has to fail. */
    QueryFailedException failure(String sql) {
        QueryFailedException failure =
                catchThrowableOfType(QueryFailedException.class, () -> run(sql));
        assertThat(failure).as(sql).isNotNull();
        return failure;
    }

    /** That a statement fails, as what, and what it says. */
    void assertFails(String sql, ErrorCodeSupplier code, String message) {
        assertTrinoExceptionThrownBy(() -> run(sql))
                .hasErrorCode(code)
                .hasMessageContaining(message);
    }

    /** The default session with a property of the catalog {@code stele}. */
    Session with(String property, String value) {
        return Session.builder(cluster.runner().getDefaultSession())
                .setCatalogSessionProperty("stele", property, value)
                .build();
    }

    String explain(String sql) {
        return (String) value("EXPLAIN " + sql);
    }

    /** Rows that the table scans of a query gave to the engine. */
    long scannedRows(String sql) {
        return scannedRows(cluster.runner().getDefaultSession(), sql);
    }

    /** Of files and sidecars, past what filters left of them before. */
    long scannedRows(Session session, String sql) {
        Session reading =
                Session.builder(session)
                        .setCatalogSessionProperty("stele", "fragment_cache_enabled", "false")
                        .build();
        return statistics(reading, sql).getPhysicalInputPositions();
    }

    /** What the engine says of a query that it runs. */
    QueryStats statistics(Session session, String sql) {
        MaterializedResultWithPlan result = cluster.runner().executeWithPlan(session, sql);
        QueryManager queries = cluster.runner().getCoordinator().getQueryManager();
        // The last numbers of tasks come after the last rows
        assertEventually(
                new Duration(1, TimeUnit.MINUTES),
                () ->
                        assertThat(queries.getFullQueryInfo(result.queryId()).isFinalQueryInfo())
                                .isTrue());
        return queries.getFullQueryInfo(result.queryId()).getQueryStats();
    }
}
