package io.stele.connector;

import static io.trino.spi.StandardErrorCode.INVALID_ARGUMENTS;
import static io.trino.spi.StandardErrorCode.INVALID_MATERIALIZED_VIEW_PROPERTY;
import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static io.trino.spi.StandardErrorCode.INVALID_SESSION_PROPERTY;
import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.spi.StandardErrorCode.SCHEMA_NOT_FOUND;
import static io.trino.spi.StandardErrorCode.TABLE_NOT_FOUND;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;

import io.trino.Session;
import io.trino.spi.ErrorCodeSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What users are told of properties, session properties, arguments and values that are refused. */
@ExtendWith(SteleCluster.Shared.class)
final class SteleUserErrorsIT {
    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleUserErrorsIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    @Test
    void tableProperties() {
        refusedProperty("shard_count = 0", "Expected shard_count from 1 to 4096, found 0");
        refusedProperty(
                "retention = 'soon'",
                "Expected a duration as '1h' or '30d' in retention, found 'soon'");
        refusedProperty(
                "primary_key = ARRAY['nowhere']",
                "Expected columns of the table in primary_key, found 'nowhere'");
        refusedProperty(
                "clustering_key = ARRAY['']", "Expected column names in clustering_key, found ");
    }

    private void refusedProperty(String property, String message) {
        queries.assertFails(
                "CREATE TABLE %s (id bigint) WITH (%s)"
                        .formatted(SteleQueries.newTable("refused"), property),
                INVALID_TABLE_PROPERTY,
                message);
    }

    @Test
    void propertiesOfMaterializedViews() {
        String view = SteleQueries.newTable("view");
        queries.run("CREATE MATERIALIZED VIEW %s AS SELECT 1 AS n".formatted(view));
        queries.assertFails(
                "ALTER MATERIALIZED VIEW %s SET PROPERTIES time_to_live = '1h'".formatted(view),
                INVALID_MATERIALIZED_VIEW_PROPERTY,
                "materialized view property 'time_to_live' does not exist");
        queries.run("DROP MATERIALIZED VIEW " + view);
    }

    @Test
    void sessionProperties() {
        String table = SteleQueries.newTable("refused");
        queries.run("CREATE TABLE %s (id bigint)".formatted(table));
        refusedInSession(
                table,
                "aggregation_pushdown_max_groups",
                "0",
                "Expected 1 to \\d+ groups for aggregation_pushdown_max_groups, found 0");
        refusedInSession(
                table, "read_lsn", "-1", "Expected an LSN of at least 0 for read_lsn, found -1");
        refusedInSession(
                table,
                "lookup_max_keys",
                "100000",
                "Expected 0 to 1000 keys for lookup_max_keys, found 100000");
    }

    private void refusedInSession(String table, String property, String value, String message) {
        Session session = queries.with(property, value);
        assertTrinoExceptionThrownBy(
                        () -> cluster.runner().execute(session, "SELECT * FROM " + table))
                .hasErrorCode(INVALID_SESSION_PROPERTY)
                .hasMessageMatching(message);
    }

    @Test
    void procedures() {
        refusedCall(
                "flush_metadata_cache(schema_name => 's')",
                INVALID_PROCEDURE_ARGUMENT,
                "Expected both schema_name and table_name, or neither; found schema_name s and table_name null");
        refusedCall("flush('s', 'nowhere')", TABLE_NOT_FOUND, "nowhere");
        refusedCall("compact('s', 'nowhere')", TABLE_NOT_FOUND, "nowhere");
        queries.assertFails(
                "DROP SCHEMA stele.nowhere",
                SCHEMA_NOT_FOUND,
                "Schema 'stele.nowhere' does not exist");
    }

    private void refusedCall(String call, ErrorCodeSupplier code, String message) {
        queries.assertFails("CALL stele.system." + call, code, message);
    }

    @Test
    void timesThatNanosecondsDoNotReach() {
        String table = SteleQueries.newTable("refused");
        queries.run("CREATE TABLE %s (t timestamp(9))".formatted(table));
        queries.assertFails(
                "INSERT INTO %s VALUES TIMESTAMP '1600-01-01 00:00:00.000000001'".formatted(table),
                INVALID_ARGUMENTS,
                "Expected a time from 1677-09-21 00:12:43.145224192 to 2262-04-11 23:47:16.854775807 UTC for a precision of nanoseconds, found one outside");
    }
}
