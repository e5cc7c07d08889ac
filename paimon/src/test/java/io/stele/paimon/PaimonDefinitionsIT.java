package io.stele.paimon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trino.testing.MaterializedResult;
import io.trino.testing.QueryRunner;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FileStoreTable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Statements that define schemas and tables, and values of every type. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PaimonDefinitionsIT {
    private TestingLake lake;
    private QueryRunner trino;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        lake = new TestingLake(folder);
        // So long that a statement sees what an earlier one did only if it is told
        trino = TestingTrino.over(folder, 0, Map.of("stele.paimon.snapshot.max-staleness", "1h"));
        query("CREATE SCHEMA d");
    }

    @AfterAll
    void stop() throws Exception {
        trino.close();
        lake.close();
    }

    private MaterializedResult query(String sql) {
        return trino.execute(sql);
    }

    private String created(String table) {
        return (String) query("SHOW CREATE TABLE " + table).getOnlyValue();
    }

    @Test
    void theDefinitionOfATableMakesTheSameTable() throws Exception {
        query(
                """
                CREATE TABLE defined (
                    id bigint NOT NULL COMMENT 'the key',
                    dt date NOT NULL,
                    name varchar(20),
                    tags array(varchar),
                    price decimal(10, 2),
                    at timestamp(6),
                    deep row(a integer, b map(varchar, double)))
                COMMENT 'a table'
                WITH (
                    primary_key = ARRAY['id', 'dt'],
                    partitioned_by = ARRAY['dt'],
                    bucket = 3,
                    bucket_key = ARRAY['id'],
                    file_format = 'orc',
                    merge_engine = 'partial-update',
                    deletion_vectors = true,
                    changelog_producer = 'lookup',
                    options = ARRAY['orc.compress=zstd', 'snapshot.num-retained.max=70'])
                """);
        FileStoreTable first = lake.table("d", "defined");
        assertThat(first.primaryKeys()).containsExactly("id", "dt");
        assertThat(first.partitionKeys()).containsExactly("dt");
        assertThat(first.coreOptions().snapshotNumRetainMax()).isEqualTo(70);
        assertThat(first.comment()).contains("a table");
        String definition = created("defined");
        query("DROP TABLE defined");
        query(definition);
        assertThat(created("defined")).isEqualTo(definition);
        TableSchema second = lake.table("d", "defined").schema();
        assertThat(second.fields()).isEqualTo(first.schema().fields());
        assertThat(second.options()).isEqualTo(first.schema().options());
        assertThat(second.primaryKeys()).isEqualTo(first.primaryKeys());
    }

    @Test
    void columnsAreChanged() throws Exception {
        query("CREATE TABLE altered (a integer NOT NULL, b varchar, r row(x integer))");
        query("INSERT INTO altered VALUES (1, 'one', ROW(10))");
        query("ALTER TABLE altered ADD COLUMN c double COMMENT 'added' AFTER a");
        query("ALTER TABLE altered ADD COLUMN f date FIRST");
        query("INSERT INTO altered VALUES (DATE '2024-01-01', 2, 2.5, 'two', ROW(20))");
        query("ALTER TABLE altered RENAME COLUMN b TO text");
        query("ALTER TABLE altered ALTER COLUMN a SET DATA TYPE bigint");
        query("ALTER TABLE altered ALTER COLUMN a DROP NOT NULL");
        query("ALTER TABLE altered ADD COLUMN r.y varchar");
        query("ALTER TABLE altered RENAME COLUMN r.x TO z");
        query("COMMENT ON COLUMN altered.text IS 'a text'");
        query("COMMENT ON TABLE altered IS 'changed'");
        assertThat(created("altered"))
                .contains("COMMENT 'changed'")
                .contains("text varchar COMMENT 'a text'")
                .contains("c double COMMENT 'added'")
                .contains("a bigint,");
        query("INSERT INTO altered VALUES (NULL, NULL, NULL, NULL, ROW(30, 'y'))");
        query("ALTER TABLE altered DROP COLUMN f");
        assertThat(Texts.rows(query("SELECT * FROM altered")))
                .containsExactlyInAnyOrder(
                        "[1, null, 'one', [10, null]]",
                        "[2, 2.5, 'two', [20, null]]",
                        "[null, null, null, [30, 'y']]")
                .containsExactlyInAnyOrderElementsOf(TestingLake.rows(lake.table("d", "altered")));
        assertThatThrownBy(() -> query("ALTER TABLE altered ADD COLUMN g integer NOT NULL"))
                .hasMessageContaining("may be NULL");
        assertThatThrownBy(() -> query("ALTER TABLE altered ADD COLUMN text integer"))
                .hasMessageContaining("already exists");
        assertThatThrownBy(
                        () ->
                                query(
                                        "ALTER TABLE altered ALTER COLUMN text SET DATA TYPE"
                                                + " array(integer)"))
                .hasMessageContaining("Cannot alter table d.altered");
    }

    @Test
    void optionsAreChanged() throws Exception {
        query("CREATE TABLE tuned (x bigint) WITH (options = ARRAY['target-file-size=1 mb'])");
        query(
                "ALTER TABLE tuned SET PROPERTIES file_format = 'avro', options ="
                        + " ARRAY['write-only=true']");
        assertThat(created("tuned"))
                .contains("file_format = 'avro'")
                .contains("options = ARRAY['write-only=true']");
        query("ALTER TABLE tuned SET PROPERTIES options = DEFAULT, file_format = DEFAULT");
        assertThat(created("tuned")).contains("file_format = 'parquet'").doesNotContain("options");
        for (String wrong :
                List.of(
                        "primary_key = ARRAY['x']",
                        "options = ARRAY['file.format=orc']",
                        "options = ARRAY['path=/elsewhere']")) {
            assertThatThrownBy(() -> query("ALTER TABLE tuned SET PROPERTIES " + wrong))
                    .as(wrong)
                    .hasMessageContaining("Expected");
        }
    }

    @Test
    void wrongDefinitionsAreRefused() {
        for (Map.Entry<String, String> wrong :
                Map.of(
                                "(x bigint) WITH (primary_key = ARRAY['y'])",
                                        "Expected a column of the table, found y",
                                "(x bigint) WITH (bucket = 3)", "Cannot create table",
                                "(x bigint) WITH (file_format = 'csv-like')", "Cannot create table",
                                "(x bigint DEFAULT 3)", "does not support",
                                "(x timestamp(12))",
                                        "Expected a type that Paimon has, found column x",
                                "(x time(6))", "Expected a type that Paimon has, found column x",
                                "(x uuid)", "Expected a type that Paimon has, found column x")
                        .entrySet()) {
            assertThatThrownBy(() -> query("CREATE TABLE wrong " + wrong.getKey()))
                    .as(wrong.getKey())
                    .hasMessageContaining(wrong.getValue());
        }
        for (String name : List.of("../up", "a/b", "x$y", " spaced")) {
            assertThatThrownBy(() -> query("CREATE TABLE \"%s\" (x bigint)".formatted(name)))
                    .as(name)
                    .hasMessageContaining("Expected a name of a table that can be a folder");
        }
        assertThatThrownBy(() -> query("CREATE SCHEMA \"../s\""))
                .hasMessageContaining("Expected a name of a schema that can be a folder");
    }

    @Test
    void tablesAndSchemasComeAndGo() throws Exception {
        query("CREATE SCHEMA e");
        query("CREATE TABLE e.t (x bigint)");
        query("INSERT INTO e.t VALUES 1");
        query("ALTER TABLE e.t RENAME TO d.moved");
        assertThat(query("SELECT x FROM moved").getOnlyValue()).isEqualTo(1L);
        assertThatThrownBy(() -> query("SELECT * FROM e.t")).hasMessageContaining("does not exist");
        query("CREATE TABLE e.t (y varchar)");
        query("INSERT INTO e.t VALUES 'new'");
        assertThat(query("SELECT y FROM e.t").getOnlyValue()).isEqualTo("new");
        query("DROP TABLE e.t");
        query("CREATE TABLE e.t (z double)");
        assertThat(query("SELECT count(z) FROM e.t").getOnlyValue()).isEqualTo(0L);
        query("CREATE TABLE IF NOT EXISTS e.t (other integer)");
        assertThatThrownBy(() -> query("CREATE TABLE e.t (other integer)"))
                .hasMessageContaining("already exists");
        assertThatThrownBy(() -> query("ALTER TABLE e.t RENAME TO d.moved"))
                .hasMessageContaining("already exists");
        assertThatThrownBy(() -> query("DROP SCHEMA e RESTRICT"))
                .hasMessageContaining("Cannot drop non-empty schema");
        query("DROP SCHEMA e CASCADE");
        assertThat(query("SHOW SCHEMAS").getOnlyColumnAsSet()).doesNotContain("e");
        query("CREATE SCHEMA e");
        assertThatThrownBy(() -> query("SELECT * FROM e.t")).hasMessageContaining("does not exist");
    }

    /** Avro has timestamps of six digits at most. */
    private void query(String format, String sql) {
        query(
                format.equals("avro")
                        ? sql.replace("(9)", "(6)")
                                .replace("58.999999999", "58.999999")
                                .replace("00.000000001", "00.000001")
                        : sql);
    }

    @Test
    void valuesOfEveryTypeAreThoseOfPaimon() throws Exception {
        for (String format : List.of("parquet", "orc", "avro")) {
            String table = "typed_" + format;
            query(
                    format,
                    """
                    CREATE TABLE %s (
                        a boolean, b tinyint, c smallint, d integer, e bigint, f real, g double,
                        h decimal(18, 3), i decimal(38, 10), j varchar, k varchar(5), l char(4), m varbinary,
                        n date, o time(3), p timestamp(0), q timestamp(3), r timestamp(6), s timestamp(9),
                        t timestamp(3) with time zone, u timestamp(9) with time zone,
                        v array(bigint), w map(varchar, array(integer)), x row(a integer, b row(c varchar)))
                    WITH (file_format = '%s')
                    """
                            .formatted(table, format));
            query(
                    format,
                    """
                    INSERT INTO %s VALUES
                    (true, TINYINT '-128', SMALLINT '-32768', -2147483648, -9223372036854775808, REAL '-0.0', nan(),
                        DECIMAL '-999999999999999.999', DECIMAL '-9999999999999999999999999999.9999999999', '', 'äöü漢😀', 'äb😀z', X'',
                        DATE '1970-01-01', TIME '00:00:00.000', TIMESTAMP '1969-12-31 23:59:59', TIMESTAMP '1969-12-31 23:59:58.999',
                        TIMESTAMP '1969-12-31 23:59:58.999999', TIMESTAMP '1969-12-31 23:59:58.999999999',
                        TIMESTAMP '2024-02-29 12:00:00.123 Europe/Berlin', TIMESTAMP '1969-12-31 23:59:58.999999999 UTC',
                        ARRAY[], MAP(), ROW(NULL, NULL)),
                    (false, TINYINT '127', SMALLINT '32767', 2147483647, 9223372036854775807, REAL '3.4028235E38', infinity(),
                        DECIMAL '999999999999999.999', DECIMAL '9999999999999999999999999999.9999999999', 'x', 'a', 'abcd', X'00FF',
                        DATE '9999-12-31', TIME '23:59:59.999', TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP '2024-01-01 00:00:00.001',
                        TIMESTAMP '2024-01-01 00:00:00.000001', TIMESTAMP '2024-01-01 00:00:00.000000001',
                        TIMESTAMP '1970-01-01 00:00:00.000 UTC', TIMESTAMP '2024-01-01 00:00:00.000000001 +05:30',
                        ARRAY[1, NULL, -1], MAP(ARRAY['k', 'l'], ARRAY[ARRAY[1, NULL], NULL]), ROW(1, ROW('deep'))),
                    (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
                    """
                            .formatted(table));
            assertThat(Texts.rows(query("SELECT * FROM " + table)))
                    .as(format)
                    .hasSize(3)
                    .containsExactlyInAnyOrderElementsOf(TestingLake.rows(lake.table("d", table)));
            assertThat(
                            query(
                                            """
                                            SELECT count(*) FROM %s WHERE e = -9223372036854775808 AND is_nan(g)
                                            AND i = DECIMAL '-9999999999999999999999999999.9999999999'
                                            AND date_trunc('second', u) = TIMESTAMP '1969-12-31 23:59:58 UTC' AND k = 'äöü漢😀' AND l = 'äb😀z'
                                            """
                                                    .formatted(table))
                                    .getOnlyValue())
                    .isEqualTo(1L);
        }
    }
}
