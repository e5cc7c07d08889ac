package io.stele.connector;

import static io.trino.spi.StandardErrorCode.INVALID_ARGUMENTS;
import static io.trino.spi.StandardErrorCode.INVALID_FUNCTION_ARGUMENT;
import static io.trino.spi.StandardErrorCode.PERMISSION_DENIED;
import static io.trino.spi.StandardErrorCode.TABLE_NOT_FOUND;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.Lsn;
import io.stele.testing.LongRun;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.testing.MaterializedRow;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What {@code table_changes} says of rows, wherever they are by then. */
@ExtendWith(SteleCluster.Shared.class)
final class SteleTableChangesIT {
    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleTableChangesIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    @Test
    void changesOfManyTimesTheMemoryAreRead() {
        String catalog = "stele_few_changes";
        try (SidecarFixture sidecar =
                cluster.newSidecar(
                        catalog, Map.of(), Map.of("stele.table-changes.max-size", "1kB"))) {
            String table = catalog + ".s.t";
            queries.run(
                    "CREATE TABLE %s WITH (primary_key = ARRAY['id'], shard_count = 1) AS SELECT * FROM UNNEST(sequence(1, 100)) AS s (id)"
                            .formatted(table));
            sidecar.flush("s", "t");
            Object from = queries.value("SELECT max(\"$lsn\") FROM " + table);
            queries.run("DELETE FROM %s WHERE id = 1".formatted(table));
            String changes =
                    "SELECT count(*) FROM TABLE(%s.system.table_changes(schema_name => 's', table_name => 't', from_version => %s))"
                            .formatted(catalog, from);
            assertThat(queries.count(changes)).isOne();
            queries.run("DELETE FROM %s WHERE id > 10".formatted(table));
            assertThat(queries.count(changes)).isEqualTo(91);
            queries.run("INSERT INTO %s SELECT * FROM UNNEST(sequence(5, 204))".formatted(table));
            assertThat(queries.count(changes)).isEqualTo(91 + 200);
            assertThat(queries.count(changes + " WHERE _change_type = 'update'")).isEqualTo(6);
        }
    }

    static List<String> orientations() {
        return LongRun.combinations(List.of("column", "row"), List.of("row,column"));
    }

    @ParameterizedTest
    @MethodSource("orientations")
    void eachChangeIsTold(String orientation) {
        String table = SteleQueries.newTable("changes");
        queries.run(
                "CREATE TABLE %s (id bigint, v varchar) WITH (primary_key = ARRAY['id'], orientation = '%s', shard_count = 2)"
                        .formatted(table, orientation));
        queries.update("INSERT INTO %s VALUES (1, 'a'), (2, 'b'), (3, 'c')".formatted(table));
        List<Long> lsns = new ArrayList<>();
        lsns.add(lsn(table));
        queries.update("UPDATE %s SET v = 'b2' WHERE id = 2".formatted(table));
        lsns.add(lsn(table));
        queries.update("DELETE FROM %s WHERE id = 3".formatted(table));
        queries.update("INSERT INTO %s VALUES (4, 'd')".formatted(table));
        lsns.add(lsn(table));
        cluster.sidecar().flush("s", table);
        queries.update("INSERT INTO %s VALUES (1, 'a2'), (3, 'c2'), (5, 'e')".formatted(table));
        lsns.add(lsn(table));
        queries.update("UPDATE %s SET v = 'b3' WHERE id = 2".formatted(table));
        queries.update("DELETE FROM %s WHERE id = 5".formatted(table));
        queries.update("INSERT INTO %s VALUES (6, 'f')".formatted(table));
        lsns.add(lsn(table));

        List<List<String>> steps =
                List.of(
                        List.of("update 2 b2"),
                        List.of("delete 3 c", "insert 4 d"),
                        List.of("update 1 a2", "insert 3 c2", "insert 5 e"),
                        List.of("update 2 b3", "delete 5 e", "insert 6 f"));
        checkSteps(table, lsns, steps);
        cluster.sidecar().flush("s", table);
        checkSteps(table, lsns, steps);
        queries.run("CALL stele.system.compact('s', '%s')".formatted(table));
        checkSteps(table, lsns, steps);
    }

    private void checkSteps(String table, List<Long> lsns, List<List<String>> steps) {
        for (int from = 0; from < lsns.size(); from++) {
            List<String> expected = new ArrayList<>();
            for (int to = from; to < lsns.size(); to++) {
                assertThat(
                                changes(
                                        table,
                                        "from_version => %s, to_version => %s"
                                                .formatted(lsns.get(from), lsns.get(to))))
                        .containsExactlyInAnyOrderElementsOf(expected);
                if (to < steps.size()) {
                    expected.addAll(steps.get(to));
                }
            }
            assertThat(changes(table, "from_version => " + lsns.get(from)))
                    .containsExactlyInAnyOrderElementsOf(
                            steps.subList(from, steps.size()).stream()
                                    .flatMap(List::stream)
                                    .toList());
        }
    }

    @Test
    void tablesWithoutKeys() {
        String table = SteleQueries.newTable("changes");
        queries.run("CREATE TABLE %s (id bigint, v varchar)".formatted(table));
        queries.update("INSERT INTO %s VALUES (1, 'a'), (2, 'b')".formatted(table));
        long start = lsn(table);
        queries.update("DELETE FROM %s WHERE id = 1".formatted(table));
        queries.update("UPDATE %s SET v = 'b2' WHERE id = 2".formatted(table));
        // A row without a key that is changed is another row
        List<String> expected = List.of("delete 1 a", "delete 2 b", "insert 2 b2");
        assertThat(changes(table, "from_version => " + start))
                .containsExactlyInAnyOrderElementsOf(expected);
        cluster.sidecar().flush("s", table);
        assertThat(changes(table, "from_version => " + start))
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void filesOfWorkersAndPartitionsThatEnd() {
        SidecarFixture own =
                cluster.newSidecar("changed", Map.of("stele.write.direct-threshold", "0B"));
        try {
            queries.run(
                    "CREATE TABLE changed.s.t (p bigint, id bigint, v varchar) WITH (primary_key = ARRAY['p', 'id'], partitioned_by = ARRAY['p'])");
            queries.update(
                    "INSERT INTO changed.s.t SELECT x % 2, x, 'v' FROM UNNEST(sequence(1, 100)) a(x)");
            long start = (long) queries.value("SELECT max(\"$lsn\") FROM changed.s.t");
            queries.update(
                    "INSERT INTO changed.s.t SELECT x % 2, x, 'w' FROM UNNEST(sequence(91, 110)) a(x)");
            long middle = (long) queries.value("SELECT max(\"$lsn\") FROM changed.s.t");
            queries.run("DELETE FROM changed.s.t WHERE p = 1");
            assertThat(counts("from_version => %s, to_version => %s".formatted(start, middle)))
                    .containsExactlyInAnyOrder(
                            "insert 0 5", "insert 1 5", "update 0 5", "update 1 5");
            assertThat(counts("from_version => " + middle)).containsExactly("delete 1 55");
        } finally {
            queries.run("DROP CATALOG changed");
            own.close();
        }
    }

    private List<String> counts(String range) {
        return queries
                .run(
                        "SELECT _change_type, p, count(*) FROM TABLE(changed.system.table_changes(schema_name => 's', table_name => 't', %s)) GROUP BY 1, 2"
                                .formatted(range))
                .getMaterializedRows()
                .stream()
                .map(row -> row.getField(0) + " " + row.getField(1) + " " + row.getField(2))
                .toList();
    }

    @Test
    void conditionsGoToWhereChangesAreRead() {
        String table = SteleQueries.newTable("changes");
        queries.run(
                "CREATE TABLE %s (id bigint, v varchar) WITH (primary_key = ARRAY['id'], shard_count = 2)"
                        .formatted(table));
        queries.update(
                "INSERT INTO %s SELECT x, 'a' FROM UNNEST(sequence(1, 20)) s (x)".formatted(table));
        long start = lsn(table);
        queries.update("UPDATE %s SET v = 'b' WHERE id <= 10".formatted(table));
        long middle = lsn(table);
        cluster.sidecar().flush("s", table);
        queries.update("DELETE FROM %s WHERE id > 15".formatted(table));
        queries.update("INSERT INTO %s VALUES (3, 'c'), (30, 'c')".formatted(table));
        String all =
                "(SELECT id, v, _change_type t, _change_version lsn, _change_timestamp ts FROM TABLE(stele.system.table_changes('s', '%s', %s)))"
                        .formatted(table, start);
        for (String condition :
                List.of(
                        "id = 3",
                        "id BETWEEN 5 AND 16",
                        "id > 100",
                        "v = 'b'",
                        "v = 'c' AND id < 10",
                        "v IS NULL",
                        "lsn <= " + middle,
                        "lsn > " + middle,
                        "lsn BETWEEN %s AND %s".formatted(start - 5, start),
                        "lsn > %s AND id = 3 AND t = 'update'".formatted(middle),
                        "ts <= CAST(from_unixtime_nanos(%s) AS timestamp(3) with time zone)"
                                .formatted((middle >> 16) * 1_000_000),
                        "ts > CAST(from_unixtime_nanos(%s) AS timestamp(3) with time zone)"
                                .formatted((middle >> 16) * 1_000_000),
                        "ts < TIMESTAMP '1960-01-01 00:00:00 UTC'",
                        "ts > TIMESTAMP '9999-01-01 00:00:00 UTC'")) {
            queries.assertSame(
                    "SELECT * FROM %s WHERE %s".formatted(all, condition),
                    "SELECT * FROM %s WHERE coalesce(%s, rand() > 2)".formatted(all, condition));
        }
        String query = "SELECT v FROM %s WHERE id = 3 AND lsn > %s".formatted(all, middle);
        assertThat(queries.explain(query))
                .contains("s.%s changes after %s up to ".formatted(table, start))
                .contains("constraint on [_change_version, id]");
        assertThat(queries.run(query).getOnlyValue()).isEqualTo("c");
        assertThat(queries.scannedRows(query)).isOne();
        assertThat(queries.count("SELECT count(*) FROM " + all)).isEqualTo(17);
    }

    @Test
    void changesHaveTheirTimes() {
        String table = SteleQueries.newTable("changes");
        queries.run("CREATE TABLE %s (id bigint, v varchar)".formatted(table));
        queries.update("INSERT INTO %s VALUES (1, 'a')".formatted(table));
        long start = lsn(table);
        queries.update("INSERT INTO %s VALUES (2, 'b')".formatted(table));
        MaterializedRow row =
                queries.run(
                                "SELECT id, v, _change_type, _change_version, _change_timestamp FROM TABLE(stele.system.table_changes('s', '%s', %s))"
                                        .formatted(table, start))
                        .getMaterializedRows()
                        .getFirst();
        long lsn = lsn(table);
        assertThat(row.getFields().subList(0, 4)).containsExactly(2L, "b", "insert", lsn);
        assertThat(((ZonedDateTime) row.getField(4)).toInstant().toEpochMilli())
                .isEqualTo(lsn >> 16);
        // The same by times: a timestamp is everything of its millisecond
        assertThat(
                        changes(
                                table,
                                "from_timestamp => CAST(from_unixtime_nanos(%s) AS timestamp(3) with time zone), to_timestamp => current_timestamp(3)"
                                        .formatted((start >> 16) * 1_000_000)))
                .containsAnyOf("insert 2 b")
                .doesNotContain("insert 1 a");
    }

    @Test
    void columnsAreThoseOfTheLaterMoment() {
        String table = SteleQueries.newTable("changes");
        queries.run(
                "CREATE TABLE %s (id bigint, v integer) WITH (primary_key = ARRAY['id'])"
                        .formatted(table));
        queries.update("INSERT INTO %s VALUES (1, 1)".formatted(table));
        long start = lsn(table);
        queries.run("ALTER TABLE %s ADD COLUMN w varchar".formatted(table));
        queries.run("ALTER TABLE %s ALTER COLUMN v SET DATA TYPE bigint".formatted(table));
        queries.update("INSERT INTO %s VALUES (2, 5000000000, 'w')".formatted(table));
        queries.update("DELETE FROM %s WHERE id = 1".formatted(table));
        queries.assertSame(
                "SELECT id, v, w, _change_type FROM TABLE(stele.system.table_changes('s', '%s', %s))"
                        .formatted(table, start),
                "VALUES (BIGINT '2', BIGINT '5000000000', VARCHAR 'w', VARCHAR 'insert'), (1, 1, NULL, 'delete')");
    }

    @Test
    void errors() {
        String table = SteleQueries.newTable("changes");
        queries.run("CREATE TABLE %s (id bigint)".formatted(table));
        queries.update("INSERT INTO %s VALUES 1".formatted(table));
        long lsn = lsn(table);
        queries.update("INSERT INTO %s VALUES 2".formatted(table));
        long later = lsn(table);
        fails(
                "'s', '%s'".formatted(table),
                INVALID_FUNCTION_ARGUMENT,
                "Expected from_version, an LSN, or from_timestamp, found neither");
        fails(
                "schema_name => 's', table_name => '%s', from_version => 1, from_timestamp => current_timestamp(3)"
                        .formatted(table),
                INVALID_FUNCTION_ARGUMENT,
                "Expected one of from_version and from_timestamp, found both");
        fails(
                "NULL, '%s', 1".formatted(table),
                INVALID_FUNCTION_ARGUMENT,
                "Expected a name as schema_name, found null");
        fails(
                "'s', 'missing', 1",
                TABLE_NOT_FOUND,
                "Expected a table, found none named 's.missing'");
        fails(
                "schema_name => 's', table_name => '%s', from_version => %s, to_version => %s"
                        .formatted(table, later, lsn),
                INVALID_FUNCTION_ARGUMENT,
                "Expected changes of s.%s up to an LSN at or above %s, found %s"
                        .formatted(table, new Lsn(later).withTime(), new Lsn(lsn).withTime()));
        fails(
                "'s', '%s', -1".formatted(table),
                INVALID_ARGUMENTS,
                "Expected an LSN of at least 0, found -1");
    }

    @Test
    void changesBelowTheHistoryAreRefused() {
        SidecarFixture own =
                cluster.newSidecar("forgetful", Map.of(), Map.of("stele.retention", "1ms"));
        try {
            queries.run("CREATE TABLE forgetful.s.t (id bigint)");
            queries.update("INSERT INTO forgetful.s.t VALUES 1");
            long lsn = (long) queries.value("SELECT max(\"$lsn\") FROM forgetful.s.t");
            queries.update("INSERT INTO forgetful.s.t VALUES 2");
            own.flush("s", "t");
            assertThat(
                            queries.failure(
                                    "SELECT * FROM TABLE(forgetful.system.table_changes('s', 't', %s))"
                                            .formatted(lsn)))
                    .hasMessageContaining("Expected an LSN at or after")
                    .hasMessageContaining("the end of the retained history");
        } finally {
            queries.run("DROP CATALOG forgetful");
            own.close();
        }
    }

    @Test
    void columnsThatMayNotBeReadAreNotTold(@TempDir Path directory) throws Exception {
        Path rules = directory.resolve("rules.json");
        Files.writeString(
                rules,
                """
                {"tables": [{"privileges": ["SELECT", "OWNERSHIP", "INSERT"], "columns": [{"name": "hidden", "allow": false}]}]}
                """);
        SidecarFixture own =
                cluster.newSidecar(
                        "guarded",
                        Map.of("stele.security", "FILE", "security.config-file", rules.toString()));
        try {
            queries.run("CREATE TABLE guarded.s.t (id bigint, hidden bigint)");
            queries.update("INSERT INTO guarded.s.t VALUES (1, 1)");
            long lsn = (long) queries.value("SELECT max(\"$lsn\") FROM guarded.s.t");
            String call = "SELECT * FROM TABLE(guarded.system.table_changes('s', 't', %s))";
            queries.assertFails(call.formatted(lsn), PERMISSION_DENIED, "Access Denied");
        } finally {
            queries.run("DROP CATALOG guarded");
            own.close();
        }
    }

    private void fails(String arguments, ErrorCodeSupplier code, String message) {
        queries.assertFails(
                "SELECT * FROM TABLE(stele.system.table_changes(%s))".formatted(arguments),
                code,
                message);
    }

    private long lsn(String table) {
        // A deletion has no row to ask: one that is written and stays has the newest
        return (long) queries.value("SELECT max(\"$lsn\") FROM " + table);
    }

    private List<String> changes(String table, String range) {
        return queries
                .run(
                        "SELECT _change_type, id, v FROM TABLE(stele.system.table_changes(schema_name => 's', table_name => '%s', %s))"
                                .formatted(table, range))
                .getMaterializedRows()
                .stream()
                .map(row -> row.getField(0) + " " + row.getField(1) + " " + row.getField(2))
                .toList();
    }
}
