package io.stele.paimon;

import static io.trino.testing.assertions.Assert.assertEventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.trino.Session;
import io.trino.execution.QueryManager;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Queries of fields inside row columns, which are read without the other fields. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PaimonFieldsIT {
    private QueryRunner trino;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        trino = TestingTrino.over(folder);
        trino.execute("CREATE SCHEMA d");
    }

    @AfterAll
    void stop() {
        trino.close();
    }

    private void assertRows(String sql, String... expected) {
        assertThat(Texts.rows(trino.execute(sql)))
                .as(sql)
                .containsExactlyInAnyOrderElementsOf(List.of(expected));
    }

    @Test
    void fieldsOfOrcFiles() {
        fields("orc_rows", "file_format = 'orc'");
    }

    @Test
    void fieldsOfParquetFiles() {
        fields("parquet_rows", "file_format = 'parquet'");
    }

    @Test
    void fieldsOfFilesThatPaimonReads() {
        fields("avro_rows", "file_format = 'avro'");
    }

    @Test
    void fieldsOfMergedRows() {
        fields("merged_rows", "primary_key = ARRAY['id'], bucket = 1");
    }

    @Test
    void fieldsOfRowsThatPaimonMerges() {
        fields(
                "aggregated_rows",
                "primary_key = ARRAY['id'], bucket = 1, merge_engine = 'aggregation'");
    }

    /** Files of three schemas, of which only the last has all fields under their names. */
    private void fields(String table, String properties) {
        trino.execute(
                """
                CREATE TABLE %s (id bigint NOT NULL, r row(a bigint, b varchar, n row(x double, y varchar)))
                WITH (%s)
                """
                        .formatted(table, properties));
        trino.execute(
                """
                INSERT INTO %s VALUES
                    (1, row(10, 'one', row(1.5, 'y1'))),
                    (2, NULL),
                    (3, row(NULL, 'three', NULL)),
                    (4, row(40, NULL, row(NULL, 'y4')))
                """
                        .formatted(table));
        String select = "SELECT %s FROM " + table;
        assertRows(
                select.formatted("id, r.a, r.n.y"),
                "[1, 10, 'y1']",
                "[2, null, null]",
                "[3, null, null]",
                "[4, 40, 'y4']");
        assertRows(select.formatted("r.a, r.n") + " WHERE id = 1", "[10, [1.5, 'y1']]");
        assertRows(
                select.formatted("r.n.x, r") + " WHERE r.a = 10",
                "[1.5, [10, 'one', [1.5, 'y1']]]");
        assertRows(select.formatted("id") + " WHERE r.a > 10 AND r.n.y = 'y4'", "[4]");
        assertRows(select.formatted("id") + " WHERE r.b IS NULL", "[2]", "[4]");
        assertRows(select.formatted("id") + " WHERE r IS NULL", "[2]");
        assertRows(
                select.formatted("id, r.a") + " WHERE r IS NOT NULL AND r.n IS NULL", "[3, null]");
        assertRows(
                "SELECT t.id FROM %s t JOIN (VALUES BIGINT '40') v (k) ON t.r.a = v.k"
                        .formatted(table),
                "[4]");
        assertThat((String) trino.execute("EXPLAIN " + select.formatted("r.n.y")).getOnlyValue())
                .contains("r#n#y");

        trino.execute("ALTER TABLE %s ADD COLUMN r.c integer".formatted(table));
        trino.execute(
                "INSERT INTO %s VALUES (5, row(50, 'five', row(5.5, 'y5'), 5))".formatted(table));
        assertRows(
                select.formatted("id, r.c"),
                "[1, null]",
                "[2, null]",
                "[3, null]",
                "[4, null]",
                "[5, 5]");
        assertRows(select.formatted("id") + " WHERE r.c = 5", "[5]");
        assertRows(select.formatted("id") + " WHERE r IS NULL AND r.c IS NULL", "[2]");

        trino.execute("ALTER TABLE %s DROP COLUMN r.b".formatted(table));
        trino.execute("ALTER TABLE %s RENAME COLUMN r.a TO b".formatted(table));
        trino.execute("INSERT INTO %s VALUES (6, row(60, row(6.5, 'y6'), 6))".formatted(table));
        assertRows(
                select.formatted("id, r.b, r.n.x"),
                "[1, 10, 1.5]",
                "[2, null, null]",
                "[3, null, null]",
                "[4, 40, null]",
                "[5, 50, 5.5]",
                "[6, 60, 6.5]");
        assertRows(select.formatted("sum(r.b)") + " WHERE r.c IS NOT NULL", "[110]");
    }

    /** A condition on a field is no condition on its column, nor on whole partitions. */
    @Test
    void rowsAreChangedByConditionsOnFields() {
        trino.execute(
                """
                CREATE TABLE changed (id bigint NOT NULL, p integer NOT NULL, r row(a bigint, b varchar))
                WITH (primary_key = ARRAY['id', 'p'], partitioned_by = ARRAY['p'], bucket = 1)
                """);
        trino.execute(
                "INSERT INTO changed VALUES (1, 1, row(10, 'one')), (2, 1, row(20, 'two')), (3, 1, NULL), (4, 2, row(20, 'four'))");
        trino.execute("UPDATE changed SET r = row(21, r.b) WHERE r.a = 20 AND p = 1");
        trino.execute("DELETE FROM changed WHERE r.b = 'one' AND p = 1");
        trino.execute("DELETE FROM changed WHERE r.a = 21 AND p = 2");
        assertRows(
                "SELECT * FROM changed",
                "[2, 1, [21, 'two']]",
                "[3, 1, null]",
                "[4, 2, [20, 'four']]");
        trino.execute(
                "MERGE INTO changed t USING (VALUES BIGINT '20') s (a) ON t.r.a = s.a WHEN MATCHED THEN DELETE");
        assertRows("SELECT id FROM changed", "[2]", "[3]");
    }

    /** Fields are named without regard to case, also in definitions. */
    @Test
    void fieldsHaveTheirCase() {
        trino.execute(
                "CREATE TABLE cased AS SELECT CAST(row(1, row(2)) AS row(\"UPPER\" integer, \"Row\" row(\"In\" integer))) r");
        trino.execute("ALTER TABLE cased ALTER COLUMN r.\"UPPER\" SET DATA TYPE bigint");
        trino.execute("ALTER TABLE cased RENAME COLUMN r.\"Row\".\"In\" TO other");
        trino.execute("ALTER TABLE cased ADD COLUMN r.\"Row\".more integer");
        assertRows("SELECT r.upper, r.row.other, r.row.more FROM cased", "[1, 2, null]");
        trino.execute("ALTER TABLE cased DROP COLUMN r.\"Row\".other");
        assertRows("SELECT r.UPPER, r.row FROM cased", "[1, [null]]");
    }

    /** The other fields of a row column are not read from files larger than a small one. */
    @Test
    void otherFieldsAreNotRead() {
        for (String format : List.of("orc", "parquet")) {
            String table = "large_" + format;
            trino.execute(
                    """
                    CREATE TABLE %s WITH (file_format = '%s') AS
                    SELECT CAST(row(n, to_hex(sha512(to_utf8(CAST(10000 * m + n AS varchar))))) AS row(a bigint, b varchar)) AS r
                    FROM UNNEST(sequence(1, 10000)) t (n), UNNEST(sequence(1, 4)) u (m)
                    """
                            .formatted(table, format));
            long one = bytes("SELECT sum(r.a) FROM " + table, "[200020000]");
            long both =
                    bytes("SELECT sum(r.a), max(length(r.b)) FROM " + table, "[200020000, 128]");
            assertThat(one).as(format).isPositive().isLessThan(both / 4);
            // Counted in parts: each row once
            assertThat(both).isGreaterThan(2 << 20);
            Session parts =
                    Session.builder(trino.getDefaultSession())
                            .setCatalogSessionProperty("lake", "max_split_size", "1MB")
                            .build();
            assertThat(trino.execute(parts, "SELECT count(*) FROM " + table).getOnlyValue())
                    .isEqualTo(40_000L);
        }
    }

    /** The bytes of files that a query reads. */
    private long bytes(String sql, String expected) {
        QueryRunner.MaterializedResultWithPlan result =
                trino.executeWithPlan(trino.getDefaultSession(), sql);
        assertThat(Texts.rows(result.result())).containsExactly(expected);
        QueryManager queries = ((DistributedQueryRunner) trino).getCoordinator().getQueryManager();
        // The last numbers of tasks come after the last rows
        assertEventually(
                () ->
                        assertThat(queries.getFullQueryInfo(result.queryId()).isFinalQueryInfo())
                                .isTrue());
        return queries.getFullQueryInfo(result.queryId())
                .getQueryStats()
                .getPhysicalInputDataSize()
                .toBytes();
    }
}
