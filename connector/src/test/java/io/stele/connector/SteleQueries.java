package io.stele.connector;

import static io.stele.connector.SameRows.assertSameRows;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.trino.Session;
import io.trino.execution.QueryStats;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.testing.MaterializedResult;
import io.trino.testing.QueryFailedException;
import io.trino.testing.QueryRunner.MaterializedResultWithPlan;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

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

    List<String> column(String sql) {
        return run(sql).getMaterializedRows().stream()
                .map(row -> String.valueOf(row.getField(0)))
                .toList();
    }

    void assertSame(String actual, String expected) {
        assertSameRows(
                actual, run(actual).getMaterializedRows(), run(expected).getMaterializedRows());
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
        return cluster.runner()
                .getCoordinator()
                .getQueryManager()
                .getFullQueryInfo(result.queryId())
                .getQueryStats();
    }
}
