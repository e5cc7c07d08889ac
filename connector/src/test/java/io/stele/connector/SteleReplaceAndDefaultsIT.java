package io.stele.connector;

import static io.stele.connector.SteleQueries.newTable;
import static io.trino.spi.StandardErrorCode.CONSTRAINT_VIOLATION;
import static io.trino.spi.StandardErrorCode.DIVISION_BY_ZERO;
import static io.trino.spi.StandardErrorCode.INVALID_ARGUMENTS;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import io.trino.Session;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.testing.TransactionBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** CREATE OR REPLACE TABLE, default values, and INSERT over existing rows. */
@ExtendWith(SteleCluster.Shared.class)
final class SteleReplaceAndDefaultsIT {
    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleReplaceAndDefaultsIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    @Test
    void aTableMayBeReplacedByItsOwnRows() {
        String table = newTable("replaced");
        queries.run(
                "CREATE OR REPLACE TABLE stele.s.%s AS SELECT * FROM tpch.tiny.nation"
                        .formatted(table));
        queries.run(
                "CREATE OR REPLACE TABLE stele.s.%1$s WITH (primary_key = ARRAY['k'], shard_count = 2) AS SELECT nationkey k, upper(name) n FROM stele.s.%1$s WHERE regionkey = 1"
                        .formatted(table));
        queries.assertSame(
                "TABLE stele.s." + table,
                "SELECT nationkey, upper(name) FROM tpch.tiny.nation WHERE regionkey = 1");
        assertThat((String) queries.value("SHOW CREATE TABLE stele.s." + table))
                .contains("primary_key = ARRAY['k']");
        queries.run("CREATE OR REPLACE TABLE stele.s.%s (x bigint)".formatted(table));
        assertThat(queries.count("SELECT count(*) FROM stele.s." + table)).isZero();
    }

    @Test
    void aReplacementThatFailsLeavesTheOldTable() {
        String table = newTable("replaced");
        queries.run("CREATE TABLE stele.s.%s AS SELECT 1 a".formatted(table));
        assertFails(
                DIVISION_BY_ZERO,
                "Division by zero",
                "CREATE OR REPLACE TABLE stele.s.%1$s AS SELECT 1 / (a - 1) b FROM stele.s.%1$s"
                        .formatted(table));
        assertThat(queries.value("SELECT a FROM stele.s." + table)).isEqualTo(1);
    }

    /** Whoever is in the middle of a table that is replaced goes on with what it began with. */
    @Test
    void readersOfAReplacedTableGoOn() {
        String table = newTable("replaced");
        queries.run("CREATE TABLE stele.s.%s AS SELECT 1 a".formatted(table));
        var runner = cluster.runner();
        TransactionBuilder reading =
                TransactionBuilder.transaction(
                                runner.getTransactionManager(),
                                runner.getPlannerContext().getMetadata(),
                                runner.getAccessControl())
                        .readOnly();
        String sql = "SELECT * FROM stele.s." + table;
        reading.execute(
                runner.getDefaultSession(),
                session -> {
                    assertThat(runner.execute(session, sql).getOnlyValue()).isEqualTo(1);
                    queries.run(
                            "CREATE OR REPLACE TABLE stele.s.%s AS SELECT 'x' b".formatted(table));
                    assertThat(runner.execute(session, sql).getOnlyValue()).isEqualTo(1);
                });
        assertThat(queries.value("SELECT b FROM stele.s." + table)).isEqualTo("x");
    }

    /**
     * A transaction reads all tables at one snapshot: also one that is replaced before it is read.
     */
    @Test
    void aTableThatWasReplacedAfterTheSnapshotIsReadAsItWas() {
        String first = newTable("first");
        String second = newTable("second");
        String third = newTable("third");
        queries.run("CREATE TABLE stele.s.%s AS SELECT 1 a".formatted(first));
        queries.run("CREATE TABLE stele.s.%s AS SELECT 2 a".formatted(second));
        var runner = cluster.runner();
        TransactionBuilder reading =
                TransactionBuilder.transaction(
                                runner.getTransactionManager(),
                                runner.getPlannerContext().getMetadata(),
                                runner.getAccessControl())
                        .readOnly();
        reading.execute(
                runner.getDefaultSession(),
                session -> {
                    assertThat(
                                    runner.execute(session, "SELECT a FROM stele.s." + first)
                                            .getOnlyValue())
                            .isEqualTo(1);
                    queries.run(
                            "CREATE OR REPLACE TABLE stele.s.%s AS SELECT 'x' b".formatted(second));
                    assertThat(
                                    runner.execute(
                                                    session,
                                                    "SELECT f.a + s.a FROM stele.s.%s f, stele.s.%s s"
                                                            .formatted(first, second))
                                            .getOnlyValue())
                            .isEqualTo(3);
                });
        assertThatThrownBy(
                        () ->
                                reading.execute(
                                        runner.getDefaultSession(),
                                        session -> {
                                            runner.execute(
                                                    session, "SELECT a FROM stele.s." + first);
                                            queries.run(
                                                    "CREATE TABLE stele.s.%s AS SELECT 3 a"
                                                            .formatted(third));
                                            runner.execute(
                                                    session, "SELECT a FROM stele.s." + third);
                                        }))
                // The one if the transaction has not heard of it, the other if it has
                .hasMessageMatching(
                        "(?s).*(does not exist|Expected an LSN at or after .*, when table .* was"
                                + " created).*");
        assertThat(queries.value("SELECT b FROM stele.s." + second)).isEqualTo("x");
        assertThat(queries.value("SELECT a FROM stele.s." + third)).isEqualTo(3);
    }

    @Test
    void columnsWithoutAValueGetTheirDefault() {
        String table = newTable("defaults");
        queries.run(
                "CREATE TABLE stele.s.%s (id bigint, n integer DEFAULT 7 NOT NULL, t varchar DEFAULT 'it''s', d date DEFAULT DATE '2026-01-01', x double) WITH (primary_key = ARRAY['id'])"
                        .formatted(table));
        queries.run("INSERT INTO stele.s.%s (id) VALUES 1".formatted(table));
        queries.run("INSERT INTO stele.s.%s VALUES (2, 1, null, null, 5)".formatted(table));
        String expected =
                "VALUES (BIGINT '1', 7, VARCHAR 'it''s', DATE '2026-01-01', CAST(null AS double)),"
                        + " (2, 1, null, null, 5e0)";
        queries.assertSame("TABLE stele.s." + table, expected);
        assertThat((String) queries.value("SHOW CREATE TABLE stele.s." + table))
                .contains(
                        "n integer DEFAULT 7 NOT NULL",
                        "t varchar DEFAULT 'it''s'",
                        "d date DEFAULT DATE '2026-01-01'");
        queries.run("INSERT INTO stele.s.%s (id, x) VALUES (2, 6)".formatted(table));
        assertThat(queries.value("SELECT n FROM stele.s.%s WHERE id = 2".formatted(table)))
                .as("the new row takes the place of the old one, all of it")
                .isEqualTo(7);

        queries.run("ALTER TABLE stele.s.%s ALTER COLUMN n SET DEFAULT 8".formatted(table));
        queries.run("ALTER TABLE stele.s.%s ALTER COLUMN t DROP DEFAULT".formatted(table));
        queries.run("ALTER TABLE stele.s.%s RENAME COLUMN n TO m".formatted(table));
        queries.run("ALTER TABLE stele.s.%s ADD COLUMN e bigint DEFAULT 9".formatted(table));
        queries.run("INSERT INTO stele.s.%s (id) VALUES 3".formatted(table));
        queries.assertSame(
                "SELECT id, m, t, e FROM stele.s." + table,
                "VALUES (BIGINT '1', 7, VARCHAR 'it''s', BIGINT '9'), (2, 7, 'it''s', 9), (3, 8,"
                        + " null, 9)");
        queries.run("TRUNCATE TABLE stele.s." + table);
        queries.run("INSERT INTO stele.s.%s (id) VALUES 4".formatted(table));
        queries.assertSame("SELECT m, e FROM stele.s." + table, "VALUES (8, BIGINT '9')");
        assertFails(
                INVALID_ARGUMENTS,
                "Expected a default value of 1 to 10000 characters, found another of column 't'",
                "ALTER TABLE stele.s.%s ALTER COLUMN t SET DEFAULT '%s'"
                        .formatted(table, "z".repeat(10_000)));
    }

    /** What Trino writes into new rows is the value that earlier rows have. */
    @Test
    void earlierRowsHaveTheDefaultOfANewColumn() {
        Map<String, String> literals =
                ImmutableMap.<String, String>builder()
                        .put("boolean", "true")
                        .put("tinyint", "-128")
                        .put("smallint", "7")
                        .put("integer", "-7")
                        .put("bigint", "9223372036854775807")
                        .put("real", "1.1E0")
                        .put("double", "DOUBLE '-0.1'")
                        .put("decimal(12,2)", "-12.50")
                        .put("decimal(38,3)", "DECIMAL '99999999999999999999999999999999999.001'")
                        .put("varchar", "'it''s \u00e9\u4e2d'")
                        .put("varchar(40)", "''")
                        .put("char(5)", "'ab '")
                        .put("varbinary", "X'00ff'")
                        .put("date", "DATE '1899-1-31'")
                        .put("time(3)", "TIME '1:02:03.4'")
                        .put("timestamp(3)", "TIMESTAMP '1899-12-31 23:59:59.999'")
                        .put("timestamp(6)", "TIMESTAMP '2026-01-02'")
                        .put("timestamp(9)", "TIMESTAMP '2026-01-02 03:04:05.000000006'")
                        .put("timestamp(3) with time zone", "TIMESTAMP '2026-07-02 03:04 +02:00'")
                        .put(
                                "timestamp(6) with time zone",
                                "TIMESTAMP '2026-07-02 03:04:05.000006 Europe/Berlin'")
                        .put(
                                "timestamp(9) with time zone",
                                "TIMESTAMP '2026-07-02 03:04:05.000000006 UTC'")
                        .put("uuid", "UUID '12345678-9abc-def0-1234-56789abcdef0'")
                        .buildOrThrow();
        for (String orientation : List.of("column", "row")) {
            String table = newTable("added");
            queries.run(
                    "CREATE TABLE stele.s.%s (k bigint) WITH (primary_key = ARRAY['k'], orientation = '%s')"
                            .formatted(table, orientation));
            queries.run("INSERT INTO stele.s.%s VALUES 1".formatted(table));
            cluster.sidecar().flush("s", table);
            queries.run("INSERT INTO stele.s.%s VALUES 2".formatted(table));
            int column = 0;
            for (Map.Entry<String, String> literal : literals.entrySet()) {
                queries.run(
                        "ALTER TABLE stele.s.%s ADD COLUMN c%d %s DEFAULT %s%s"
                                .formatted(
                                        table,
                                        column,
                                        literal.getKey(),
                                        literal.getValue(),
                                        column % 2 == 0 ? " NOT NULL" : ""));
                column++;
            }
            for (int stage = 0; stage < 3; stage++) {
                queries.run("INSERT INTO stele.s.%s (k) VALUES %d".formatted(table, 3 + stage));
                assertAllHave(table, literals, 3 + stage);
                if (stage == 0) {
                    cluster.sidecar().flush("s", table);
                } else {
                    cluster.sidecar().compact("s", table);
                }
            }
        }
    }

    private void assertAllHave(String table, Map<String, String> literals, long rows) {
        List<String> conditions = new ArrayList<>();
        List<String> extremes = new ArrayList<>();
        List<String> values = new ArrayList<>();
        literals.forEach(
                (type, literal) -> {
                    String name = "c" + conditions.size();
                    conditions.add("%s = CAST(%s AS %s)".formatted(name, literal, type));
                    extremes.add("min(%1$s), max(%1$s), count(%1$s)".formatted(name));
                    values.add("%1$s, %1$s, BIGINT '%2$d'".formatted(name, rows));
                });
        assertThat(
                        queries.count(
                                "SELECT count(*) FROM stele.s.%s WHERE %s"
                                        .formatted(table, String.join(" AND ", conditions))))
                .isEqualTo(rows);
        queries.assertSame(
                "SELECT %s FROM stele.s.%s".formatted(String.join(", ", extremes), table),
                "SELECT %s FROM stele.s.%s WHERE k = 3"
                        .formatted(String.join(", ", values), table));
        queries.assertSame(
                "SELECT DISTINCT %s FROM stele.s.%s".formatted(columns(literals.size()), table),
                "SELECT %s FROM stele.s.%s WHERE k = 3".formatted(columns(literals.size()), table));
    }

    private static String columns(int count) {
        return IntStream.range(0, count).mapToObj(i -> "c" + i).collect(Collectors.joining(", "));
    }

    @Test
    void rowsOfBeforeKeepTheFirstDefault() {
        String table = newTable("added");
        queries.run("CREATE TABLE stele.s.%s AS SELECT BIGINT '1' a".formatted(table));
        Object before = queries.value("SELECT max(\"$lsn\") FROM stele.s." + table);
        queries.run(
                "ALTER TABLE stele.s.%s ADD COLUMN b integer DEFAULT 7 NOT NULL".formatted(table));
        queries.run("ALTER TABLE stele.s.%s ADD COLUMN n integer DEFAULT null".formatted(table));
        queries.run("ALTER TABLE stele.s.%s ALTER COLUMN b SET DEFAULT 8".formatted(table));
        queries.run("ALTER TABLE stele.s.%s ALTER COLUMN b SET DATA TYPE bigint".formatted(table));
        queries.run("INSERT INTO stele.s.%s (a) VALUES 2".formatted(table));
        queries.run("ALTER TABLE stele.s.%s ALTER COLUMN b DROP DEFAULT".formatted(table));
        queries.assertSame(
                "TABLE stele.s." + table,
                "VALUES (BIGINT '1', BIGINT '7', CAST(null AS integer)), (2, 8, null)");
        queries.assertSame(
                "SELECT a FROM stele.s.%s WHERE b < 8".formatted(table), "VALUES BIGINT '1'");
        queries.assertSame(
                "SELECT * FROM stele.s.%s FOR VERSION AS OF %s".formatted(table, before),
                "VALUES BIGINT '1'");
        assertFails(
                CONSTRAINT_VIOLATION,
                "NULL value not allowed for NOT NULL column: b",
                "INSERT INTO stele.s.%s (a) VALUES 3".formatted(table));
        assertFails(
                NOT_SUPPORTED,
                "This connector does not support adding not null columns",
                "ALTER TABLE stele.s.%s ADD COLUMN c bigint NOT NULL".formatted(table));
        assertFails(
                NOT_SUPPORTED,
                "Expected a plain literal of type json as the default of the new column 'c', which"
                        + " rows that are there get, found JSON '1'; without rows to get it, use ALTER"
                        + " COLUMN ... SET DEFAULT",
                "ALTER TABLE stele.s.%s ADD COLUMN c json DEFAULT JSON '1'".formatted(table));
    }

    @Test
    void describeSaysWhatIsMadeOfAColumn() {
        String table = newTable("described");
        queries.run(
                "CREATE TABLE stele.s.%s (day date, k bigint, v varchar, w varchar) WITH (primary_key = ARRAY['day', 'k'], partitioned_by = ARRAY['day'], shard_count = 1, indexes = ARRAY['by_v(v)', 'unique by_wv(w, v)'])"
                        .formatted(table));
        assertThat(queries.run("DESCRIBE stele.s." + table).getMaterializedRows())
                .extracting(row -> row.getField(2))
                .containsExactly(
                        "primary key, partition key",
                        "primary key",
                        "index by_v, unique index by_wv",
                        "unique index by_wv");
    }

    @Test
    void insertsMayRefuseKeysThatAreThere() {
        for (String orientation : List.of("column", "row")) {
            String table = newTable("inserted");
            queries.run(
                    "CREATE TABLE stele.s.%s (k bigint, v varchar) WITH (primary_key = ARRAY['k'], orientation = '%s')"
                            .formatted(table, orientation));
            queries.run("INSERT INTO stele.s.%s VALUES (1, 'a'), (2, 'b')".formatted(table));
            cluster.sidecar().flush("s", table);
            Session fails = existingRows("FAIL");
            for (String rows : List.of("(3, 'c'), (2, 'x')", "(5, 'c'), (6, 'd'), (5, 'e')")) {
                assertTrinoExceptionThrownBy(
                                () ->
                                        cluster.runner()
                                                .execute(
                                                        fails,
                                                        "INSERT INTO stele.s.%s VALUES %s"
                                                                .formatted(table, rows)))
                        .hasErrorCode(CONSTRAINT_VIOLATION)
                        .hasMessageMatching(
                                "Expected a new key in table s.%s, found the duplicate key \\(k = [25]\\)"
                                        .formatted(table));
            }
            cluster.runner()
                    .execute(fails, "INSERT INTO stele.s.%s VALUES (3, 'c')".formatted(table));
            Session ignores = existingRows("IGNORE");
            cluster.runner()
                    .execute(
                            ignores,
                            "INSERT INTO stele.s.%s VALUES (1, 'x'), (4, 'd'), (4, 'e')"
                                    .formatted(table));
            queries.assertSame(
                    "TABLE stele.s." + table,
                    "VALUES (BIGINT '1', VARCHAR 'a'), (2, 'b'), (3, 'c'), (4, 'd')");
        }
        String appended = newTable("appended");
        queries.run("CREATE TABLE stele.s.%s AS SELECT 1 a".formatted(appended));
        cluster.runner()
                .execute(
                        existingRows("FAIL"),
                        "INSERT INTO stele.s.%s VALUES 1".formatted(appended));
        assertThat(queries.count("SELECT count(*) FROM stele.s." + appended)).isEqualTo(2);
    }

    private Session existingRows(String behavior) {
        return Session.builder(cluster.runner().getDefaultSession())
                .setCatalogSessionProperty("stele", "insert_existing_rows_behavior", behavior)
                .build();
    }

    private void assertFails(ErrorCodeSupplier code, String message, String sql) {
        assertTrinoExceptionThrownBy(() -> queries.run(sql))
                .hasErrorCode(code)
                .hasMessageMatching(message);
    }
}
