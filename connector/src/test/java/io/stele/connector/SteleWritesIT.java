package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tables and writes through SQL, with and without a primary key, before and after flushes,
 * compactions and restarts.
 */
@ExtendWith(SteleCluster.Shared.class)
final class SteleWritesIT {
    private static final String PROPERTIES_OF_KEYED =
            "WITH (primary_key = ARRAY['k'], orientation = '%s')";

    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleWritesIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    @Test
    void showCreateTableGivesThePropertiesBack() {
        String table = SteleQueries.newTable("properties");
        queries.run(
                """
                CREATE TABLE %s (
                   a bigint COMMENT 'the key',
                   b varchar(10) NOT NULL,
                   c date)
                COMMENT 'a table'
                WITH (
                   primary_key = ARRAY['a', 'c'],
                   distribution_key = ARRAY['a'],
                   clustering_key = ARRAY['c'],
                   partitioned_by = ARRAY['c'],
                   orientation = 'row,column',
                   shard_count = 2)
                """
                        .formatted(table));

        assertThat((String) queries.value("SHOW CREATE TABLE " + table))
                .isEqualTo(
                        """
                        CREATE TABLE stele.s.%s (
                           a bigint NOT NULL COMMENT 'the key',
                           b varchar(10) NOT NULL,
                           c date NOT NULL
                        )
                        COMMENT 'a table'
                        WITH (
                           clustering_key = ARRAY['c'],
                           distribution_key = ARRAY['a'],
                           orientation = 'row,column',
                           partitioned_by = ARRAY['c'],
                           primary_key = ARRAY['a','c'],
                           shard_count = 2
                        )"""
                                .formatted(table));
    }

    /** All rows, of memory and of files, though they go without being read. */
    @ParameterizedTest
    @ValueSource(
            strings = {"", "WITH (primary_key = ARRAY['k'])", "WITH (partitioned_by = ARRAY['p'])"})
    void deletingAllRowsTellsHowMany(String properties) {
        String table = SteleQueries.newTable("emptied");
        queries.run("CREATE TABLE %s (k bigint, p varchar) %s".formatted(table, properties));
        String insert =
                "INSERT INTO %s SELECT n, CAST(n %% 3 AS varchar) FROM UNNEST(sequence(%d, %d)) t(n)";
        queries.update(insert.formatted(table, 1, 700));
        cluster.sidecar().flush("s", table);
        queries.update(insert.formatted(table, 701, 750));
        assertThat(queries.update("DELETE FROM %s WHERE k <= 20".formatted(table))).isEqualTo(20);
        assertThat(queries.update("DELETE FROM " + table)).isEqualTo(730);
        assertThat(queries.count("SELECT count(*) FROM " + table)).isZero();
        assertThat(queries.update("DELETE FROM " + table)).isZero();
    }

    /** Schemas and columns may have them; of tables they are where names of metadata tables end. */
    @Test
    void dollarsInNamesWorkOrAreRefused() {
        String schema = "\"" + SteleQueries.newTable("with$dollar") + "\"";
        queries.run("CREATE SCHEMA " + schema);
        String table = schema + ".t";
        queries.run(
                "CREATE TABLE %s (\"k$\" bigint, \"a$b\" varchar, \"c$\" bigint) WITH (primary_key = ARRAY['k$'])"
                        .formatted(table));
        queries.update("INSERT INTO %s VALUES (1, 'one', 10), (2, 'two', 20)".formatted(table));
        queries.update("UPDATE %s SET \"a$b\" = 'second' WHERE \"k$\" = 2".formatted(table));
        assertThat(
                        queries.value(
                                "SELECT \"a$b\" FROM %s WHERE \"k$\" = 2 AND \"c$\" > 5"
                                        .formatted(table)))
                .isEqualTo("second");
        assertThat(
                        queries.count(
                                "SELECT count(*) FROM information_schema.columns WHERE table_schema = '%s' AND column_name LIKE '%%$%%'"
                                        .formatted(schema.replace("\"", ""))))
                .isEqualTo(3);
        assertThat(queries.count("SELECT count(*) FROM %s.\"t$files\"".formatted(schema)))
                .isNotNegative();
        for (String sql :
                List.of(
                        "CREATE TABLE %s.\"a$b\" (k bigint)",
                        "CREATE TABLE %s.u (\"$a$b\" bigint)",
                        "CREATE TABLE %s.\"a$b\" AS SELECT 1 AS k",
                        "CREATE VIEW %s.\"a$b\" AS SELECT 1 AS k",
                        "ALTER TABLE %1$s.t RENAME TO %1$s.\"a$b\"")) {
            assertThatThrownBy(() -> queries.run(sql.formatted(schema)))
                    .as(sql)
                    .hasMessageContaining("$")
                    .hasMessageContaining("a$b");
        }
        queries.run("DROP TABLE " + table);
        queries.run("DROP SCHEMA " + schema);
    }

    @Test
    void propertiesCanBeChanged() {
        String table = SteleQueries.newTable("changed_properties");
        queries.run(
                "CREATE TABLE %s (a bigint, b varchar, c date) WITH (retention = '2h')"
                        .formatted(table));
        queries.run(
                "ALTER TABLE %s SET PROPERTIES segment_key = ARRAY['c'], dictionary_columns = ARRAY['b']"
                        .formatted(table));
        assertThat((String) queries.value("SHOW CREATE TABLE " + table))
                .endsWith(
                        """
                        WITH (
                           dictionary_columns = ARRAY['b'],
                           retention = '2.00h',
                           segment_key = ARRAY['c']
                        )""");
        queries.run("ALTER TABLE %s SET PROPERTIES retention = DEFAULT".formatted(table));
        assertThat((String) queries.value("SHOW CREATE TABLE " + table))
                .doesNotContain("retention")
                .contains("segment_key = ARRAY['c']");
        queries.run(
                "ALTER TABLE %s SET PROPERTIES time_to_live = '30d', compression = 'zstd'"
                        .formatted(table));
        assertThat((String) queries.value("SHOW CREATE TABLE " + table))
                .contains("time_to_live = '30.00d'")
                .contains("compression = 'zstd'");
        assertThat(
                        queries.failure(
                                "ALTER TABLE %s SET PROPERTIES orientation = 'row'"
                                        .formatted(table)))
                .hasMessageContaining("'orientation'");
        assertThat(
                        queries.failure(
                                "ALTER TABLE %s SET PROPERTIES bitmap_columns = ARRAY['d']"
                                        .formatted(table)))
                .hasMessageContaining("'d'");
    }

    @Test
    void badPropertiesAreRefused() {
        assertThat(queries.failure("CREATE TABLE bad (a bigint) WITH (primary_key = ARRAY['b'])"))
                .hasMessageContaining("primary_key")
                .hasMessageContaining("'b'");
        assertThat(queries.failure("CREATE TABLE bad (a bigint) WITH (orientation = 'diagonal')"))
                .hasMessageContaining("'diagonal'");
        assertThat(queries.failure("CREATE TABLE bad (a bigint) WITH (shard_count = 0)"))
                .hasMessageContaining("shard_count");
        assertThat(
                        queries.failure(
                                "CREATE TABLE bad (a bigint, b bigint) WITH (primary_key = ARRAY['a'], distribution_key = ARRAY['b'])"))
                .hasMessageContaining("distribution_key");
        assertThat(queries.failure("CREATE TABLE bad (a json) WITH (primary_key = ARRAY['a'])"))
                .hasMessageContaining("orderable");
        assertThat(queries.column("SHOW TABLES LIKE 'bad'")).isEmpty();
    }

    @Test
    void commentsCanBeChanged() {
        String table = SteleQueries.newTable("comments");
        queries.run("CREATE TABLE %s (a bigint COMMENT 'one')".formatted(table));
        queries.run("COMMENT ON TABLE %s IS 'two'".formatted(table));
        queries.run("COMMENT ON COLUMN %s.a IS 'three'".formatted(table));

        assertThat((String) queries.value("SHOW CREATE TABLE " + table))
                .contains("COMMENT 'two'")
                .contains("COMMENT 'three'");
        assertThat(
                        queries.value(
                                "SELECT comment FROM system.metadata.table_comments WHERE catalog_name = 'stele' AND schema_name = 's' AND table_name = '%s'"
                                        .formatted(table)))
                .isEqualTo("two");
    }

    @Test
    void notNullColumnsRefuseNulls() {
        String table = SteleQueries.newTable("not_null");
        queries.run("CREATE TABLE %s (a bigint NOT NULL, b bigint)".formatted(table));

        assertThat(queries.failure("INSERT INTO %s (b) VALUES 1".formatted(table)))
                .hasMessageContaining("NULL value not allowed for NOT NULL column: a");
        assertThat(
                        queries.failure(
                                "CREATE TABLE null_key WITH (primary_key = ARRAY['k']) AS SELECT CAST(NULL AS bigint) k"))
                .hasMessageContaining("'k'");
        assertThat(queries.column("SHOW TABLES LIKE 'null_key'")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"column", "row", "row,column"})
    void changesByKey(String orientation) {
        String table = SteleQueries.newTable("keyed");
        queries.run(
                "CREATE TABLE %s (k bigint, v varchar) %s"
                        .formatted(table, PROPERTIES_OF_KEYED.formatted(orientation)));
        assertThat(
                        queries.update(
                                "INSERT INTO %s SELECT i, 'v' || CAST(i AS varchar) FROM UNNEST(sequence(1, 1000)) t(i)"
                                        .formatted(table)))
                .isEqualTo(1000);
        change(table);
        assertChanged(table);
        cluster.sidecar().flush("s", table);
        assertChanged(table);
        cluster.sidecar().compact("s", table);
        assertChanged(table);
        assertThat(
                        queries.update(
                                "UPDATE %s SET v = 'again' WHERE k %% 2 = 0 AND k <= 20"
                                        .formatted(table)))
                .isEqualTo(4);
        assertThat(queries.count("SELECT count(*) FROM %s WHERE v = 'again'".formatted(table)))
                .isEqualTo(4);
    }

    @Test
    void changesByKeyOfFlushedRows() {
        String table = SteleQueries.newTable("flushed");
        queries.run(
                "CREATE TABLE %s (k bigint, v varchar) %s"
                        .formatted(table, PROPERTIES_OF_KEYED.formatted("column")));
        queries.update(
                "INSERT INTO %s SELECT i, 'v' || CAST(i AS varchar) FROM UNNEST(sequence(1, 1000)) t(i)"
                        .formatted(table));
        cluster.sidecar().flush("s", table);
        change(table);
        assertChanged(table);
        cluster.sidecar().flush("s", table);
        assertChanged(table);
    }

    /**
     * Of keys 1 to 1000: 1 to 10 deleted, 11 updated, 12 moved to 5000, 13 moved onto what was 14,
     * 14 deleted, 2000 added.
     */
    private void change(String table) {
        assertThat(queries.update("DELETE FROM %s WHERE k <= 10".formatted(table))).isEqualTo(10);
        assertThat(queries.update("UPDATE %s SET v = 'updated' WHERE k = 11".formatted(table)))
                .isEqualTo(1);
        assertThat(queries.update("UPDATE %s SET k = 5000 WHERE k = 12".formatted(table)))
                .isEqualTo(1);
        assertThat(
                        queries.update(
                                """
                                MERGE INTO %s t USING (VALUES (13, 'm'), (14, 'd'), (2000, 'i')) s(k, a) ON t.k = s.k
                                WHEN MATCHED AND s.a = 'd' THEN DELETE
                                WHEN MATCHED THEN UPDATE SET k = 14, v = 'moved'
                                WHEN NOT MATCHED THEN INSERT VALUES (s.k, 'inserted')
                                """
                                        .formatted(table)))
                .isEqualTo(3);
    }

    private void assertChanged(String table) {
        queries.assertSame(
                "SELECT k, v FROM %s WHERE k <= 15 OR k > 1000".formatted(table),
                "VALUES (BIGINT '11', 'updated'), (14, 'moved'), (15, 'v15'), (2000, 'inserted'), (5000, 'v12')");
        assertThat(queries.count("SELECT count(*) FROM " + table)).isEqualTo(1000 - 10 - 1 + 1);
    }

    @Test
    void keysThatMoveInOneStatementStayWhole() {
        String table = SteleQueries.newTable("moves");
        queries.run(
                "CREATE TABLE %s (k bigint, v bigint) %s"
                        .formatted(table, PROPERTIES_OF_KEYED.formatted("column")));
        queries.update(
                "INSERT INTO %s SELECT i, i FROM UNNEST(sequence(1, 500)) t(i)".formatted(table));
        cluster.sidecar().flush("s", table);

        assertThat(queries.update("UPDATE %s SET k = k + 1".formatted(table))).isEqualTo(500);

        queries.assertSame(
                "SELECT count(*), min(k), max(k), sum(k - v) FROM " + table,
                "VALUES (BIGINT '500', BIGINT '2', BIGINT '501', BIGINT '500')");
    }

    @Test
    void changesWithoutKey() {
        String table = SteleQueries.newTable("unkeyed");
        queries.run("CREATE TABLE %s (a bigint, b varchar)".formatted(table));
        queries.update(
                "INSERT INTO %s SELECT i, 'x' FROM UNNEST(sequence(1, 100)) t(i)".formatted(table));
        cluster.sidecar().flush("s", table);
        queries.update(
                "INSERT INTO %s SELECT i, 'y' FROM UNNEST(sequence(1, 100)) t(i)".formatted(table));

        assertThat(queries.update("DELETE FROM %s WHERE a <= 10".formatted(table))).isEqualTo(20);
        assertThat(queries.update("UPDATE %s SET b = b || 'z' WHERE a > 90".formatted(table)))
                .isEqualTo(20);
        for (int round = 0; round < 3; round++) {
            queries.assertSame(
                    "SELECT b, count(*), min(a), max(a) FROM %s GROUP BY b".formatted(table),
                    """
                    VALUES ('x', BIGINT '80', BIGINT '11', BIGINT '90'), ('y', 80, 11, 90),
                        ('xz', 10, 91, 100), ('yz', 10, 91, 100)
                    """);
            if (round == 0) {
                cluster.sidecar().flush("s", table);
            } else {
                cluster.sidecar().compact("s", table);
            }
        }
    }

    @Test
    void theLastOfEqualKeysStays() {
        String table = SteleQueries.newTable("last");
        queries.run(
                "CREATE TABLE %s (k bigint, v bigint) %s"
                        .formatted(table, PROPERTIES_OF_KEYED.formatted("column")));
        queries.update("INSERT INTO %s VALUES (1, 10), (2, 20), (1, 11), (1, 12)".formatted(table));

        queries.assertSame("SELECT * FROM " + table, "VALUES (BIGINT '1', BIGINT '12'), (2, 20)");
    }

    @Test
    void truncateRenameAndDrop() {
        String table = SteleQueries.newTable("life");
        queries.run("CREATE TABLE %s AS SELECT * FROM tpch.tiny.region".formatted(table));
        queries.run("ALTER TABLE %s RENAME TO %s_renamed".formatted(table, table));
        assertThat(queries.count("SELECT count(*) FROM %s_renamed".formatted(table))).isEqualTo(5);
        queries.run("TRUNCATE TABLE %s_renamed".formatted(table));
        assertThat(queries.count("SELECT count(*) FROM %s_renamed".formatted(table))).isZero();
        queries.update("INSERT INTO %s_renamed SELECT * FROM tpch.tiny.region".formatted(table));
        assertThat(queries.count("SELECT count(*) FROM %s_renamed".formatted(table))).isEqualTo(5);
        queries.run("DROP TABLE %s_renamed".formatted(table));
        assertThat(queries.column("SHOW TABLES LIKE '%s%%'".formatted(table))).isEmpty();
    }

    @Test
    void aFailedWriteLeavesNothing() {
        String table = SteleQueries.newTable("failed");
        queries.run("CREATE TABLE %s (a bigint)".formatted(table));

        queries.failure(
                "INSERT INTO %s SELECT 1 / (i - 900) FROM UNNEST(sequence(1, 1000)) t(i)"
                        .formatted(table));
        queries.failure(
                "CREATE TABLE %s_new AS SELECT 1 / (i - 900) x FROM UNNEST(sequence(1, 1000)) t(i)"
                        .formatted(table));

        assertThat(queries.count("SELECT count(*) FROM " + table)).isZero();
        assertThat(queries.column("SHOW TABLES LIKE '%s_new'".formatted(table))).isEmpty();
        queries.run("CREATE TABLE %s_new AS SELECT 1 x".formatted(table));
    }

    @Test
    void theLsnOfARowCanBeRead() {
        String table = SteleQueries.newTable("lsn");
        queries.run(
                "CREATE TABLE %s (k bigint) %s"
                        .formatted(table, PROPERTIES_OF_KEYED.formatted("column")));
        queries.update("INSERT INTO %s VALUES 1".formatted(table));
        queries.update("INSERT INTO %s VALUES 2".formatted(table));

        assertThat(
                        queries.count(
                                "SELECT count(*) FROM %s a, %s b WHERE a.k = 1 AND b.k = 2 AND a.\"$lsn\" < b.\"$lsn\""
                                        .formatted(table, table)))
                .isEqualTo(1);
        cluster.sidecar().flush("s", table);
        assertThat(queries.count("SELECT count(DISTINCT \"$lsn\") FROM " + table)).isEqualTo(2);
    }
}
