package io.stele.connector;

import static io.stele.connector.SameRows.assertSameRows;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testing.LongRun;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code FOR VERSION AS OF} and {@code FOR TIMESTAMP AS OF}: rows and columns of then. */
@ExtendWith(SteleCluster.Shared.class)
final class SteleTimeTravelIT {
    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleTimeTravelIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    /** A moment, and what the table had then. */
    private record Moment(long lsn, String timestamp, List<?> rows) {}

    static List<String> orientations() {
        return LongRun.combinations(List.of("column"), List.of("row", "row,column"));
    }

    @ParameterizedTest
    @MethodSource("orientations")
    void everyMomentIsReadAsItWas(String orientation) {
        String table = SteleQueries.newTable("travelled");
        queries.run(
                "CREATE TABLE %s (id bigint, v bigint) WITH (primary_key = ARRAY['id'], orientation = '%s', shard_count = 2)"
                        .formatted(table, orientation));
        SplittableRandom random = new SplittableRandom(orientation.length());
        List<Moment> moments = new ArrayList<>();
        for (int step = 0; step < LongRun.count(9, 14); step++) {
            int id = random.nextInt(20);
            queries.update(
                    switch (random.nextInt(4)) {
                        case 0 -> "DELETE FROM %s WHERE id = %s".formatted(table, id);
                        case 1 ->
                                "UPDATE %s SET v = v + 1 WHERE id %% 3 = %s"
                                        .formatted(table, id % 3);
                        default ->
                                "INSERT INTO %s VALUES (%s, %s), (%s, 0)"
                                        .formatted(table, id, step, id + 1);
                    });
            if (step % 5 == 3) {
                cluster.sidecar().flush("s", table);
            }
            if (step % 7 == 6) {
                cluster.sidecar().compact("s", table);
            }
            moments.add(now(table));
        }
        for (Moment moment : moments) {
            for (String version : versions(moment)) {
                assertRows("SELECT * FROM %s %s".formatted(table, version), moment.rows());
                assertThat(
                                queries.count(
                                        "SELECT count(*) FROM %s %s WHERE id IN (1, 5, 9)"
                                                .formatted(table, version)))
                        .isEqualTo(
                                moment.rows().stream()
                                        .map(row -> row.toString())
                                        .filter(row -> row.matches("\\[[159],.*"))
                                        .count());
            }
        }
        Moment first = moments.getFirst();
        Moment last = moments.getLast();
        assertRows(
                "SELECT a.id, b.v FROM %1$s FOR VERSION AS OF %2$s a JOIN %1$s b ON a.id = b.id"
                        .formatted(table, first.lsn()),
                queries.run(
                                "SELECT id, v FROM %s WHERE id IN (SELECT id FROM %s FOR VERSION AS OF %s)"
                                        .formatted(table, table, first.lsn()))
                        .getMaterializedRows());
        String copy = SteleQueries.newTable("copied");
        queries.run(
                "CREATE TABLE %s AS SELECT * FROM %s FOR VERSION AS OF %s"
                        .formatted(copy, table, first.lsn()));
        assertRows("SELECT * FROM " + copy, first.rows());
        queries.update(
                "INSERT INTO %s SELECT id, v FROM %s FOR VERSION AS OF %s"
                        .formatted(table, table, first.lsn()));
        assertThat(last.rows()).isNotEqualTo(first.rows());
    }

    @Test
    void columnsAreThoseOfThen() {
        String table = SteleQueries.newTable("altered");
        queries.run(
                "CREATE TABLE %s (id bigint, a integer, b varchar, gone bigint) WITH (primary_key = ARRAY['id'])"
                        .formatted(table));
        queries.update("INSERT INTO %s VALUES (1, 10, 'x', 7), (2, 20, 'y', 8)".formatted(table));
        cluster.sidecar().flush("s", table);
        queries.update("UPDATE %s SET a = 11 WHERE id = 1".formatted(table));
        Moment before = now(table);
        queries.run("ALTER TABLE %s ADD COLUMN c double".formatted(table));
        queries.run("ALTER TABLE %s RENAME COLUMN a TO aa".formatted(table));
        Moment between = now(table); // just after
        queries.run("ALTER TABLE %s RENAME COLUMN b TO a".formatted(table));
        queries.run("ALTER TABLE %s ALTER COLUMN aa SET DATA TYPE bigint".formatted(table));
        queries.update("INSERT INTO %s VALUES (3, 5000000000, 'z', 9, 1e0)".formatted(table));
        queries.run("ALTER TABLE %s SET PROPERTIES indexes = ARRAY['by_c(c)']".formatted(table));
        cluster.sidecar().compact("s", table);

        for (String version : versions(before)) {
            String from = " FROM %s %s".formatted(table, version);
            assertRows("SELECT * " + from, before.rows());
            assertRows("SELECT a, b" + from + " WHERE a = 20", "VALUES (BIGINT '20', 'y')");
            assertRows("SELECT id" + from + " WHERE b = 'x' AND id = 1", "VALUES BIGINT '1'");
            assertThat(queries.failure("SELECT c" + from))
                    .hasMessageContaining("Column 'c' cannot be resolved");
            assertThat(queries.failure("SELECT aa" + from))
                    .hasMessageContaining("Column 'aa' cannot be resolved");
        }
        for (String version : versions(between)) {
            assertRows("SELECT * FROM %s %s".formatted(table, version), between.rows());
        }
        assertThat(queries.column("SELECT a FROM %s ORDER BY id".formatted(table)))
                .containsExactly("x", "y", "z");

        queries.run("ALTER TABLE %s DROP COLUMN gone".formatted(table));
        String old = " FROM %s FOR VERSION AS OF %s".formatted(table, before.lsn());
        assertRows("SELECT a, b" + old, "VALUES (BIGINT '11', 'x'), (BIGINT '20', 'y')");
        assertThat(queries.failure("SELECT *" + old))
                .hasMessageContaining(
                        "found 'gone', which was dropped since: its values are not retained");
    }

    @Test
    void whatIsNotKeptIsRefused() {
        String table = SteleQueries.newTable("refused");
        Moment early = new Moment(lsnOfNow(), "", List.of());
        queries.run(
                "CREATE TABLE %s (id bigint) WITH (primary_key = ARRAY['id'])".formatted(table));
        queries.update("INSERT INTO %s VALUES 1".formatted(table));
        String select = "SELECT * FROM %s FOR VERSION AS OF ".formatted(table);
        assertThat(queries.failure(select + early.lsn()))
                .hasMessageMatching(
                        "Expected an LSN at or after \\d+ \\(.*Z\\), when table s\\.%s was created, truncated or replaced, found %s \\(.*Z\\)"
                                .formatted(table, early.lsn()));
        assertThat(queries.failure(select + 1))
                .hasMessageMatching(
                        "Expected an LSN at or after \\d+ \\(.*Z\\), the end of the retained history.*, found 1 \\(1970-01-01T00:00:00Z\\)");
        assertThat(queries.failure(select + Long.MAX_VALUE))
                .hasMessageMatching(
                        "Expected a snapshot at or before the present LSN \\d+ \\(.*Z\\), found %s \\(.*Z\\)"
                                .formatted(Long.MAX_VALUE));
        assertThat(queries.failure(select + "-1")).hasMessageContaining("found -1");
        assertThat(queries.failure(select + "'x'"))
                .hasMessageContaining("Expected an LSN, a bigint, in FOR VERSION AS OF");
        String at = "SELECT * FROM %s FOR TIMESTAMP AS OF ".formatted(table);
        assertThat(queries.failure(at + "TIMESTAMP '2001-01-01 00:00:00 UTC'"))
                .hasMessageContaining("the end of the retained history");
        assertThat(queries.failure(at + "TIMESTAMP '1969-01-01 00:00:00 UTC'"))
                .hasMessageContaining("Expected a timestamp from 1970 on");
        assertThat(queries.failure("SELECT * FROM nowhere FOR VERSION AS OF 1"))
                .hasMessageContaining("does not exist");

        long written = queries.count("SELECT max(\"$lsn\") FROM " + table);
        assertThat(queries.count("SELECT count(*) FROM (%s)".formatted(select + written)))
                .isEqualTo(1);
    }

    @Test
    void truncatedAndReplacedTablesAreReadAsOfBefore() {
        String table = SteleQueries.newTable("replaced");
        queries.run("CREATE TABLE %s (id bigint, a varchar)".formatted(table));
        queries.update("INSERT INTO %s VALUES (1, 'x'), (2, 'y')".formatted(table));
        Moment first = now(table);
        cluster.sidecar().flush("s", table);
        queries.run("TRUNCATE TABLE " + table);
        queries.update("INSERT INTO %s VALUES (3, 'z')".formatted(table));
        Moment second = now(table);
        queries.run(
                "CREATE OR REPLACE TABLE %s WITH (primary_key = ARRAY['b']) AS SELECT id * 10 b FROM %s FOR VERSION AS OF %s"
                        .formatted(table, table, first.lsn()));
        assertRows("SELECT * FROM " + table, "VALUES BIGINT '10', BIGINT '20'");
        for (Moment then : List.of(first, second)) {
            for (String version : versions(then)) {
                assertRows("SELECT * FROM %s %s".formatted(table, version), then.rows());
                assertThat(
                                queries.count(
                                        "SELECT count(*) FROM %s %s WHERE a > ''"
                                                .formatted(table, version)))
                        .isEqualTo(then == first ? 2 : 1);
            }
        }
        String changes =
                "SELECT * FROM TABLE(stele.system.table_changes(schema_name => 's', table_name => '%s', from_version => %s%s))";
        assertThat(queries.failure(changes.formatted(table, first.lsn(), "")))
                .hasMessageContaining("truncated or replaced after LSN " + first.lsn());
        assertThat(
                        queries.failure(
                                changes.formatted(
                                        table, first.lsn(), ", to_version => " + second.lsn())))
                .hasMessageContaining("truncated or replaced after LSN " + first.lsn());
    }

    @Test
    void aShortRetentionEndsHistory() {
        String table = SteleQueries.newTable("forgetful");
        queries.run(
                "CREATE TABLE %s (id bigint) WITH (primary_key = ARRAY['id'], retention = '0s')"
                        .formatted(table));
        queries.update("INSERT INTO %s VALUES 1".formatted(table));
        long written = queries.count("SELECT max(\"$lsn\") FROM " + table);
        queries.update("DELETE FROM %s WHERE id = 1".formatted(table));
        cluster.sidecar().compact("s", table);
        assertThat(
                        queries.failure(
                                "SELECT * FROM %s FOR VERSION AS OF %s".formatted(table, written)))
                .hasMessageMatching(
                        "Expected an LSN at or after \\d+ \\(.*Z\\), the end of the retained history of table s\\.%s, found %s \\(.*Z\\)"
                                .formatted(table, written));
    }

    private Moment now(String table) {
        List<?> rows = queries.run("SELECT * FROM " + table).getMaterializedRows();
        String timestamp = (String) queries.value("SELECT CAST(current_timestamp(3) AS varchar)");
        return new Moment(lsnOfNow(), timestamp, rows);
    }

    /** That of a write that is acknowledged now. */
    private long lsnOfNow() {
        String table = SteleQueries.newTable("clock");
        queries.run("CREATE TABLE %s (id bigint)".formatted(table));
        queries.update("INSERT INTO %s VALUES 1".formatted(table));
        long lsn = queries.count("SELECT max(\"$lsn\") FROM " + table);
        queries.run("DROP TABLE " + table);
        return lsn;
    }

    private static List<String> versions(Moment moment) {
        return List.of(
                "FOR VERSION AS OF " + moment.lsn(),
                "FOR TIMESTAMP AS OF TIMESTAMP '%s'".formatted(moment.timestamp()));
    }

    private void assertRows(String sql, String expected) {
        assertRows(sql, queries.run(expected).getMaterializedRows());
    }

    private void assertRows(String sql, List<?> rows) {
        assertSameRows(
                sql,
                queries.run(sql).getMaterializedRows().stream().map(Object::toString).toList(),
                rows.stream().map(Object::toString).toList());
    }
}
