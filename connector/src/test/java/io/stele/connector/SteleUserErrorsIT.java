package io.stele.connector;

import static io.trino.spi.StandardErrorCode.CONSTRAINT_VIOLATION;
import static io.trino.spi.StandardErrorCode.INVALID_ARGUMENTS;
import static io.trino.spi.StandardErrorCode.INVALID_MATERIALIZED_VIEW_PROPERTY;
import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static io.trino.spi.StandardErrorCode.INVALID_SESSION_PROPERTY;
import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.spi.StandardErrorCode.SCHEMA_NOT_FOUND;
import static io.trino.spi.StandardErrorCode.TABLE_NOT_FOUND;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.trino.Session;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.spi.ErrorType;
import io.trino.testing.QueryFailedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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
    void keysBeyondTheirLimit() {
        String table = SteleQueries.newTable("keys");
        queries.run(
                "CREATE TABLE %s (k varchar, p varchar, v bigint) WITH (primary_key = ARRAY['k'])"
                        .formatted(table));
        queries.update("INSERT INTO %s VALUES ('a', 'p', 1)".formatted(table));
        String key = "rpad('', 70000, 'k')";
        for (String sql :
                List.of(
                        "INSERT INTO %s VALUES (%s, 'p', 1)",
                        "INSERT INTO %s SELECT %s, 'p', n FROM UNNEST(sequence(1, 5)) t(n)",
                        "MERGE INTO %s USING (VALUES %s) s(k) ON false WHEN NOT MATCHED THEN INSERT VALUES (s.k, 'p', 1)")) {
            queries.assertFails(
                    sql.formatted(table, key), CONSTRAINT_VIOLATION, "key of at most 65536 bytes");
        }
        for (String sql :
                List.of(
                        "SELECT count(*) FROM %s WHERE k = %s",
                        "SELECT count(*) FROM %s t JOIN (VALUES %s) s(k) ON t.k = s.k",
                        "SELECT count(*) FROM %s t JOIN (SELECT rpad('', n, 'k') k FROM UNNEST(sequence(70000, 70003)) t(n)) s ON t.k = s.k")) {
            assertThat(queries.count(sql.formatted(table, key))).as(sql).isZero();
        }
        assertThat(queries.update("DELETE FROM %s WHERE k = %s".formatted(table, key))).isZero();
        assertThat(
                        queries.failure(
                                "CREATE TABLE %s_2 (id bigint, day date) WITH (primary_key = ARRAY['id'], partitioned_by = ARRAY['day'])"
                                        .formatted(table)))
                .hasMessageContaining("Expected partitioned_by within primary_key")
                .hasMessageContaining("found column 'day'");
    }

    @Test
    void namesAndTablesOfTheSystem() {
        String table = SteleQueries.newTable("named");
        queries.run("CREATE TABLE %s (id bigint)".formatted(table));
        for (String statement :
                List.of(
                        "CREATE TABLE \"%s$files\" (id bigint)",
                        "CREATE TABLE \"%s$x\" AS SELECT 1 AS id",
                        "CREATE VIEW \"%s$files\" AS SELECT 1 AS n",
                        "CREATE MATERIALIZED VIEW \"%s$x\" AS SELECT 1 AS n",
                        "ALTER TABLE %1$s RENAME TO \"%1$s$x\"",
                        "DROP TABLE \"%s$files\"",
                        "INSERT INTO \"%s$files\" SELECT * FROM \"%1$s$files\"",
                        "DELETE FROM \"%s$files\"",
                        "TRUNCATE TABLE \"%s$files\"",
                        "DROP TABLE stele.system.shards",
                        "TRUNCATE TABLE stele.system.shards",
                        "INSERT INTO stele.system.shards SELECT * FROM stele.system.shards",
                        "DELETE FROM stele.system.shards",
                        "CREATE TABLE stele.system.more (id bigint)")) {
            String sql = statement.formatted(table);
            QueryFailedException failure = queries.failure(sql);
            assertThat(
                            cluster.runner()
                                    .getCoordinator()
                                    .getDispatchManager()
                                    .getQueryInfo(failure.getQueryId())
                                    .getErrorType())
                    .as("%s: %s", sql, failure.getMessage())
                    .isEqualTo(ErrorType.USER_ERROR);
        }
        assertThat(queries.count("SELECT count(*) FROM " + table)).isZero();
    }

    @Test
    void theSameStatementByTwoAtATime() throws Exception {
        String name = SteleQueries.newTable("both");
        try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 0; round < 5; round++) {
                for (String statement :
                        List.of(
                                "CREATE SCHEMA IF NOT EXISTS stele.%s",
                                "CREATE TABLE IF NOT EXISTS stele.%1$s.t (id bigint)",
                                "ALTER TABLE stele.%1$s.t ADD COLUMN IF NOT EXISTS c varchar",
                                "ALTER TABLE stele.%1$s.t DROP COLUMN IF EXISTS c",
                                "TRUNCATE TABLE stele.%1$s.t",
                                "CREATE OR REPLACE TABLE stele.%1$s.t (id bigint, d bigint)",
                                "CREATE OR REPLACE VIEW stele.%1$s.v AS SELECT 1 AS n",
                                "CREATE MATERIALIZED VIEW IF NOT EXISTS stele.%1$s.m AS SELECT 1 AS n",
                                "DROP MATERIALIZED VIEW IF EXISTS stele.%1$s.m",
                                "DROP VIEW IF EXISTS stele.%1$s.v",
                                "DROP TABLE IF EXISTS stele.%1$s.t",
                                "DROP SCHEMA IF EXISTS stele.%s")) {
                    String sql = statement.formatted(name);
                    List<Future<?>> both = new ArrayList<>();
                    for (int i = 0; i < 3; i++) {
                        both.add(pool.submit(() -> queries.run(sql)));
                    }
                    for (Future<?> one : both) {
                        assertThat(one).as(sql).succeedsWithin(Duration.ofMinutes(5));
                    }
                }
            }
        }
    }

    /** As tables of earlier versions have them; they go on as they were, and widen to all years. */
    @Test
    void timesThatNanosecondsOf64BitsDoNotReach() {
        String table = SteleQueries.newTable("narrow");
        cluster.sidecar().createTable(narrow(table));
        String old = "TIMESTAMP '1677-09-22 00:00:00.000000001'";
        String insert = "INSERT INTO %s VALUES (%d, %s, ROW(%s))";
        queries.update(insert.formatted(table, 1, old, old));
        cluster.sidecar().flush("s", table);
        queries.update(
                insert.formatted(table, 2, "NULL", "TIMESTAMP '1969-12-31 23:59:59.9999999'"));
        String early = "TIMESTAMP '1600-01-01 00:00:00.000000001'";
        queries.assertFails(
                insert.formatted(table, 3, early, old),
                INVALID_ARGUMENTS,
                "Expected a time from 1677-09-21 00:12:43.145224192 to 2262-04-11 23:47:16.854775807 UTC for a precision of nanoseconds, found one outside");

        queries.run("ALTER TABLE %s ALTER COLUMN t SET DATA TYPE timestamp(9)".formatted(table));
        queries.run(
                "ALTER TABLE %s ALTER COLUMN r SET DATA TYPE row(f timestamp(7))".formatted(table));
        String picos = "TIMESTAMP '9999-12-31 23:59:59.9999999'";
        queries.update(insert.formatted(table, 3, early, picos));
        String expected =
                "VALUES (1, %s, CAST(%s AS timestamp(7))), (2, NULL, TIMESTAMP '1969-12-31 23:59:59.9999999'), (3, %s, %s)"
                        .formatted(old, old, early, picos);
        for (int round = 0; round < 3; round++) {
            queries.assertSame("SELECT id, t, r.f FROM " + table, expected);
            assertThat(count(table, "t = " + old)).isEqualTo(1);
            assertThat(count(table, "t < TIMESTAMP '1677-01-01 00:00:00'")).isEqualTo(1);
            assertThat(count(table, "r.f > TIMESTAMP '1969-12-31 23:59:59'")).isEqualTo(2);
            queries.assertSame(
                    "SELECT min(t), max(t) FROM " + table, "VALUES (%s, %s)".formatted(early, old));
            if (round == 0) {
                cluster.sidecar().flush("s", table);
            } else {
                cluster.sidecar().compact("s", table);
            }
        }
    }

    private long count(String table, String condition) {
        return queries.count("SELECT count(*) FROM %s WHERE %s".formatted(table, condition));
    }

    private static TableSchema narrow(String name) {
        return TableSchema.builder("s", name)
                .columns(
                        List.of(
                                new ColumnSchema(1, "id", DataType.parse("integer")).notNull(),
                                new ColumnSchema(2, "t", DataType.parse("timestamp(9)")),
                                new ColumnSchema(3, "r", DataType.parse("row(f timestamp(7))"))))
                .shardCount(2)
                .build();
    }
}
