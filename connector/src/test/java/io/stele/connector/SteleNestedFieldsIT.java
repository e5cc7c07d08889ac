package io.stele.connector;

import static io.stele.connector.SameRows.assertSameRows;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testing.LongRun;
import io.trino.testing.MaterializedResult;
import io.trino.testing.MaterializedRow;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Fields inside columns are columns of scans: read by themselves, and pruned by. */
@ExtendWith(SteleCluster.Shared.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SteleNestedFieldsIT {
    private final SteleCluster cluster;
    private final SteleQueries queries;
    private final SidecarFixture files;

    SteleNestedFieldsIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
        // Columns are not kept in memory, so that every scan reads its files
        this.files =
                cluster.newSidecar(
                        "nested_files",
                        Map.of(
                                "stele.write.direct-threshold", "0B",
                                "stele.scan.column-cache-size", "0B"));
    }

    @AfterAll
    void closeSidecar() {
        queries.run("DROP CATALOG nested_files");
        files.close();
    }

    @Test
    void explainShowsTheFields() {
        String table = newTable("stele.s.", "column");
        assertThat(queries.explain("SELECT r.a, r.part.c FROM " + table))
                .contains("r#a:bigint", "r#part#c:varchar")
                .doesNotContain("r:row");
        assertThat(queries.explain("SELECT id FROM %s WHERE r.a = 3".formatted(table)))
                .containsPattern("constraint on \\[r#a\\]");
    }

    static List<String> orientations() {
        return LongRun.combinations(List.of("column"), List.of("row", "row,column"));
    }

    @ParameterizedTest
    @MethodSource("orientations")
    void fieldsAreThoseOfWholeColumns(String orientation) {
        String table = newTable("stele.s.", orientation);
        check(table);
        String schema = table.split("\\.")[1];
        String name = table.split("\\.")[2];
        cluster.sidecar().flush(schema, name);
        check(table);
        queries.update(
                "INSERT INTO %s VALUES (7, ROW(70, ROW(true, 'seventy', TIME '07:00:00'), ARRAY[ROW(7)], MAP(ARRAY['k'], ARRAY[ROW(7)])), 'x')"
                        .formatted(table));
        queries.update("UPDATE %s SET \"r#a\" = 'new' WHERE r.a = 10".formatted(table));
        queries.update("DELETE FROM %s WHERE r.part.c = 'two'".formatted(table));
        check(table);
    }

    @Test
    void fieldsOfOlderFiles() {
        for (String catalog : List.of("stele.s.", "nested_files.s.")) {
            String table = newTable(catalog, "column");
            queries.run("ALTER TABLE %s ADD COLUMN r.added bigint".formatted(table));
            queries.run("ALTER TABLE %s ADD COLUMN r.part.late varchar".formatted(table));
            queries.run("ALTER TABLE %s RENAME COLUMN r.part.c TO text".formatted(table));
            queries.run("ALTER TABLE %s DROP COLUMN r.part.b".formatted(table));
            queries.update(
                    "INSERT INTO %s (id, r) VALUES (9, ROW(90, ROW('nine', TIME '09:00:00', 'late'), NULL, NULL, 99))"
                            .formatted(table));
            assertSame(
                    "SELECT id, r.added, r.part.late, r.part.text FROM " + table,
                    "VALUES (BIGINT '1', CAST(NULL AS bigint), CAST(NULL AS varchar), 'one'), (2, NULL, NULL, 'two'), (3, NULL, NULL, NULL), (4, NULL, NULL, NULL), (5, NULL, NULL, NULL), (9, 99, 'late', 'nine')");
            assertSame(
                    "SELECT id FROM %s WHERE r.added = 99 OR r.part.text = 'one'".formatted(table),
                    "VALUES BIGINT '1', 9");
            assertSame(
                    "SELECT id FROM %s WHERE r.added = 99".formatted(table), "VALUES BIGINT '9'");
            assertSame(
                    "SELECT id FROM %s WHERE r.added IS NULL".formatted(table),
                    "VALUES BIGINT '1', 2, 3, 4, 5");
        }
    }

    /** In stripes of more than 8 MB: trino-orc reads smaller ones at once. */
    @Test
    void onlyWantedFieldsAreRead() {
        String table = "nested_files.s." + SteleQueries.newTable("large");
        queries.run(
                "CREATE TABLE %s (id bigint, r row(number bigint, text varchar)) WITH (primary_key = ARRAY['id'], shard_count = 1)"
                        .formatted(table));
        queries.update(
                """
                INSERT INTO %s SELECT i, ROW(i, h(i) || h(-i) || h(i + 1000000))
                FROM UNNEST(sequence(1, 6000)) a(x), UNNEST(sequence(0, 9)) b(y), UNNEST(ARRAY[x * 10 + y]) c(i)
                """
                        .formatted(table)
                        .replaceAll(
                                "h\\(([^)]+)\\)",
                                "to_hex(sha512(CAST(CAST($1 AS varchar) AS varbinary)))"));
        assertFieldsAreLess(table);
        assertSame(
                "SELECT sum(r.number), count(r.text), max(length(r.text)) FROM " + table,
                "VALUES (BIGINT '1800570000', BIGINT '60000', BIGINT '384')");
    }

    @Test
    void onlyWantedFieldsAreSent() {
        assertFieldsAreLess(wide("stele.s."));
    }

    private void assertFieldsAreLess(String table) {
        long whole = readBytes("SELECT count(r.text), count(r) FROM " + table);
        long field = readBytes("SELECT sum(r.number) FROM " + table);
        assertThat(field).isPositive().isLessThan(whole / 4);
    }

    @Test
    void rowGroupsAreSkippedByFields() {
        String table = wide("nested_files.s.");
        String query = "SELECT r.text FROM %s WHERE r.number BETWEEN 50000 AND 50010";
        assertThat(queries.scannedRows(query.formatted(table)))
                .isPositive()
                .isLessThanOrEqualTo(40_000);
        assertThat(queries.run(query.formatted(table)).getRowCount()).isEqualTo(11);
        assertThat(
                        queries.scannedRows(
                                "SELECT r.text FROM %s WHERE r.number IS NULL".formatted(table)))
                .isZero();
    }

    /** 100,000 rows in two shards, sorted by key and so by {@code r.number}. */
    private String wide(String schema) {
        String table = schema + SteleQueries.newTable("wide");
        queries.run(
                "CREATE TABLE %s (id bigint, r row(number bigint, text varchar)) WITH (primary_key = ARRAY['id'], shard_count = 2)"
                        .formatted(table));
        queries.update(
                """
                INSERT INTO %s SELECT i, ROW(i, to_hex(sha256(CAST(CAST(i AS varchar) AS varbinary))))
                FROM UNNEST(sequence(0, 9999)) a(x), UNNEST(sequence(1, 10)) b(y), UNNEST(ARRAY[x * 10 + y]) c(i)
                """
                        .formatted(table));
        return table;
    }

    private String newTable(String schema, String orientation) {
        String table = schema + SteleQueries.newTable("nested");
        queries.run(
                """
                CREATE TABLE %s (id bigint, r row(a bigint, part row(b boolean, c varchar, d time(3)), list array(row(e bigint)), "map" map(varchar, row(f bigint))), "r#a" varchar)
                WITH (primary_key = ARRAY['id'], orientation = '%s', shard_count = 2)
                """
                        .formatted(table, orientation));
        queries.update(
                """
                INSERT INTO %s VALUES
                (1, ROW(10, ROW(true, 'one', TIME '01:02:03.004'), ARRAY[ROW(1), NULL], MAP(ARRAY['k'], ARRAY[ROW(11)])), 'not a field'),
                (2, ROW(20, ROW(false, 'two', NULL), ARRAY[], NULL), NULL),
                (3, ROW(NULL, ROW(NULL, NULL, NULL), NULL, NULL), 'c'),
                (4, ROW(40, NULL, NULL, NULL), 'd'),
                (5, NULL, 'e')
                """
                        .formatted(table));
        return table;
    }

    /** Each query beside the same of rows that Trino took apart itself. */
    private void check(String table) {
        String whole =
                "(SELECT id, \"r#a\", element_at(ARRAY[r], 1) AS r FROM %s)".formatted(table);
        Map<String, List<MaterializedRow>> expected = new HashMap<>();
        for (int round = 0; round < LongRun.count(2, 3); round++) {
            for (String query :
                    List.of(
                            "SELECT id, r.a FROM %s",
                            "SELECT id, r.a, \"r#a\", r.part.c FROM %s",
                            "SELECT r.part.b, r.part.d FROM %s",
                            "SELECT r, r.a FROM %s",
                            "SELECT r.part, r.part.c FROM %s",
                            "SELECT r.list, r.\"map\" FROM %s",
                            "SELECT r.list[1].e, r.\"map\"['k'].f FROM %s WHERE cardinality(r.list) > 0 AND r.\"map\" IS NOT NULL",
                            "SELECT id FROM %s WHERE r.a > 15",
                            "SELECT r.a FROM %s WHERE r.part.c = 'one'",
                            "SELECT id FROM %s WHERE r.part.c IS NULL",
                            "SELECT id FROM %s WHERE r.part IS NULL",
                            "SELECT id FROM %s WHERE r.a IS NULL AND id > 3",
                            "SELECT id FROM %s WHERE r.part.d = TIME '01:02:03.004'",
                            "SELECT id, r.a, \"$shard\" IS NULL FROM %s WHERE id IN (1, 2)",
                            "SELECT x.r.a, y.r.part.c FROM %1$s x JOIN %1$s y ON x.r.a = y.r.a")) {
                String sql = query.formatted(table);
                String apart = query.replace("\"$shard\" IS NULL", "false").formatted(whole);
                assertSameRows(
                        sql,
                        queries.run(sql).getMaterializedRows(),
                        expected.computeIfAbsent(
                                apart, each -> queries.run(each).getMaterializedRows()));
            }
        }
    }

    private void assertSame(String actual, String expected) {
        queries.assertSame(actual, expected);
    }

    private long readBytes(String sql) {
        MaterializedResult result = queries.run(sql);
        assertThat(result.getRowCount()).isEqualTo(1);
        return queries.statistics(cluster.runner().getDefaultSession(), sql)
                .getPhysicalInputDataSize()
                .toBytes();
    }
}
