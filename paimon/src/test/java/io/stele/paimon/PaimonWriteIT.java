package io.stele.paimon;

import static io.trino.testing.TestingSession.testSessionBuilder;
import static io.trino.testing.assertions.Assert.assertEventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.testing.LongRun;
import io.trino.Session;
import io.trino.testing.MaterializedResult;
import io.trino.testing.QueryRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.paimon.Snapshot;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Statements that write, on several nodes, and their rows as Paimon's own reader has them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PaimonWriteIT {
    private Path folder;
    private TestingLake lake;
    private QueryRunner trino;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        this.folder = folder;
        lake = new TestingLake(folder);
        // So long that a statement sees what an earlier one did only if it is told
        trino = TestingTrino.over(folder, 2, Map.of("stele.paimon.snapshot.max-staleness", "1h"));
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

    private MaterializedResult query(Session session, String sql) {
        return trino.execute(session, sql);
    }

    private static Session session(String property, String value) {
        return testSessionBuilder()
                .setCatalog("lake")
                .setSchema("d")
                .setCatalogSessionProperty("lake", property, value)
                .build();
    }

    private void assertSame(String table, int rows) throws Exception {
        List<String> found = Texts.rows(query("SELECT * FROM " + table));
        assertThat(found).hasSize(rows);
        // Sorted: without an order each row would be looked for among all
        assertThat(found.stream().sorted().toList())
                .isEqualTo(TestingLake.rows(lake.table("d", table)).stream().sorted().toList());
    }

    private void assertRows(String table, String expected) throws Exception {
        assertThat(Texts.rows(query("SELECT * FROM " + table)))
                .containsExactlyInAnyOrderElementsOf(Texts.rows(query(expected)))
                .containsExactlyInAnyOrderElementsOf(TestingLake.rows(lake.table("d", table)));
    }

    /** The data files below a table's folder. */
    private List<String> dataFiles(String table) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("d.db").resolve(table))) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> file.getParent().getFileName().toString().startsWith("bucket-"))
                    .map(Path::toString)
                    .sorted()
                    .toList();
        }
    }

    @Test
    void appendedRows() throws Exception {
        query("CREATE TABLE appended (id bigint, name varchar, price decimal(12, 2))");
        query("INSERT INTO appended VALUES (1, 'a', 1.5), (2, NULL, NULL)");
        assertRows("appended", "VALUES (BIGINT '1', 'a', DECIMAL '1.50'), (2, NULL, NULL)");
        query("INSERT INTO appended (name, id) VALUES ('c', 3)");
        assertSame("appended", 3);
        query("INSERT INTO appended SELECT orderkey, comment, totalprice FROM tpch.tiny.orders");
        assertSame("appended", 15_003);
    }

    @Test
    void tablesAsSelect() throws Exception {
        for (String format : List.of("parquet", "orc", "avro")) {
            String table = "selected_" + format;
            query(
                    """
                    CREATE TABLE %s WITH (file_format = '%s', partitioned_by = ARRAY['orderstatus'])
                    AS SELECT orderkey, custkey, totalprice, orderdate, comment, orderstatus FROM tpch.tiny.orders
                    """
                            .formatted(table, format));
            assertSame(table, 15_000);
            assertThat(dataFiles(table)).isNotEmpty().allMatch(file -> file.endsWith(format));
        }
        assertThatThrownBy(
                        () ->
                                query(
                                        "CREATE TABLE failed AS SELECT 10 / (orderkey - 60000) x"
                                                + " FROM tpch.tiny.orders"))
                .hasMessageContaining("Division by zero");
        // Trino ends the statement's transaction after the client has its error
        assertEventually(
                () ->
                        assertThatThrownBy(() -> query("SELECT * FROM failed"))
                                .hasMessageContaining("does not exist"));
    }

    @Test
    void rowsOfAKeyReplaceEachOther() throws Exception {
        for (Map<String, String> kind :
                LongRun.combinations(
                        List.of(
                                Map.of("name", "fixed", "bucket", "4"),
                                Map.of("name", "dynamic_vectors", "bucket", "-1", "dv", "true")),
                        List.of(
                                Map.of("name", "dynamic", "bucket", "-1"),
                                Map.of("name", "fixed_vectors", "bucket", "2", "dv", "true")))) {
            String table = "upsert_" + kind.get("name");
            query(
                    """
                    CREATE TABLE %s (id bigint, name varchar, price double)
                    WITH (primary_key = ARRAY['id'], bucket = %s, deletion_vectors = %s)
                    """
                            .formatted(
                                    table, kind.get("bucket"), kind.getOrDefault("dv", "false")));
            query(
                    "INSERT INTO %s SELECT orderkey, comment, totalprice FROM tpch.tiny.orders"
                            .formatted(table));
            assertSame(table, 15_000);
            query(
                    "INSERT INTO %s SELECT orderkey, 'new', 1 FROM tpch.tiny.orders WHERE orderkey %% 3 = 0"
                            .formatted(table));
            assertSame(table, 15_000);
            assertThat(
                            query("SELECT count(*) FROM %s WHERE name = 'new'".formatted(table))
                                    .getOnlyValue())
                    .isEqualTo(
                            query("SELECT count(*) FROM tpch.tiny.orders WHERE orderkey % 3 = 0")
                                    .getOnlyValue());
            query("UPDATE %s SET price = price + 1, name = NULL WHERE id < 100".formatted(table));
            assertSame(table, 15_000);
            assertThat(
                            query("SELECT count(*) FROM %s WHERE name IS NULL".formatted(table))
                                    .getOnlyValue())
                    .isEqualTo(
                            query("SELECT count(*) FROM tpch.tiny.orders WHERE orderkey < 100")
                                    .getOnlyValue());
            query("DELETE FROM %s WHERE id %% 2 = 0".formatted(table));
            assertThat(
                            query("SELECT count(*) FROM %s WHERE id %% 2 = 0".formatted(table))
                                    .getOnlyValue())
                    .isEqualTo(0L);
            query(
                    """
                    MERGE INTO %s t USING (SELECT orderkey, custkey FROM tpch.tiny.orders WHERE orderkey < 1000) s
                    ON t.id = s.orderkey
                    WHEN MATCHED AND s.custkey %% 2 = 0 THEN DELETE
                    WHEN MATCHED THEN UPDATE SET name = 'merged'
                    WHEN NOT MATCHED THEN INSERT VALUES (s.orderkey, 'inserted', 0)
                    """
                            .formatted(table));
            int count = ((Long) query("SELECT count(*) FROM " + table).getOnlyValue()).intValue();
            assertSame(table, count);
            assertThat(
                            query(
                                            """
                                            SELECT count_if(name = 'merged'), count_if(name = 'inserted') FROM %s
                                            """
                                                    .formatted(table))
                                    .getMaterializedRows())
                    .isEqualTo(
                            query(
                                            """
                                            SELECT count_if(orderkey % 2 = 1 AND custkey % 2 = 1), count_if(orderkey % 2 = 0)
                                            FROM tpch.tiny.orders WHERE orderkey < 1000
                                            """)
                                    .getMaterializedRows());
        }
    }

    @Test
    void aDeletedKeyIsInsertedByTheSameStatement() throws Exception {
        query(
                "CREATE TABLE swapped (id bigint, x bigint) WITH (primary_key = ARRAY['id'], bucket"
                        + " = 1)");
        query("INSERT INTO swapped VALUES (1, 10), (2, 20)");
        query(
                """
                MERGE INTO swapped t USING (VALUES (10, 2), (99, 1)) s(x, id) ON t.x = s.x
                WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.x)
                """);
        assertRows("swapped", "VALUES (BIGINT '1', BIGINT '99'), (2, 20)");
    }

    @Test
    void partitionsAreOverwrittenAndDeleted() throws Exception {
        Session overwrite = session("insert_existing_partitions_behavior", "OVERWRITE");
        for (String properties :
                List.of(
                        "",
                        ", bucket = 2, bucket_key = ARRAY['id']",
                        ", bucket = 2, primary_key = ARRAY['id', 'dt']",
                        ", primary_key = ARRAY['id', 'dt']")) {
            query("DROP TABLE IF EXISTS partitioned");
            query(
                    "CREATE TABLE partitioned (id bigint, x varchar, dt date) WITH (partitioned_by = ARRAY['dt']%s)"
                            .formatted(properties));
            query(
                    """
                    INSERT INTO partitioned SELECT i, 'first', DATE '2024-01-01' + (i % 4) * INTERVAL '1' DAY
                    FROM UNNEST(sequence(1, 400)) AS t(i)
                    """);
            assertSame("partitioned", 400);
            query(overwrite, "INSERT INTO partitioned VALUES (7, 'second', DATE '2024-01-02')");
            assertSame("partitioned", 301);
            query("DELETE FROM partitioned WHERE dt = DATE '2024-01-03'");
            assertSame("partitioned", 201);
            assertThat(query("SELECT DISTINCT dt FROM partitioned").getRowCount()).isEqualTo(3);
            query("TRUNCATE TABLE partitioned");
            assertSame("partitioned", 0);
            query("INSERT INTO partitioned VALUES (1, 'third', DATE '2024-01-02')");
            assertSame("partitioned", 1);
            query("DELETE FROM partitioned");
            assertSame("partitioned", 0);
        }
        query("CREATE TABLE whole AS SELECT 1 x");
        query(overwrite, "INSERT INTO whole VALUES 2");
        assertRows("whole", "VALUES 2");
    }

    @Test
    void whatIsImpossibleIsRefusedByName() throws Exception {
        query("CREATE TABLE plain (id bigint, x varchar)");
        query("INSERT INTO plain VALUES (1, 'a')");
        assertThatThrownBy(() -> query("UPDATE plain SET x = 'b'"))
                .hasMessageContaining("which has no primary key");
        assertThatThrownBy(() -> query("DELETE FROM plain WHERE id = 1"))
                .hasMessageContaining("or a condition that selects whole partitions");
        query(
                "CREATE TABLE summed (id bigint, x bigint) WITH (primary_key = ARRAY['id'], bucket"
                        + " = 1, merge_engine = 'aggregation', options ="
                        + " ARRAY['fields.x.aggregate-function=sum'])");
        query("INSERT INTO summed VALUES (1, 10)");
        query("INSERT INTO summed VALUES (1, 5)");
        assertRows("summed", "VALUES (BIGINT '1', BIGINT '15')");
        assertThatThrownBy(() -> query("UPDATE summed SET x = 1"))
                .hasMessageContaining("with aggregation, which does not replace the row of a key");
        query(
                "CREATE TABLE keyed (id bigint, x bigint) WITH (primary_key = ARRAY['id'], bucket ="
                        + " 1)");
        assertThatThrownBy(() -> query("UPDATE keyed SET id = 2"))
                .hasMessageContaining("neither in the primary key nor the sequence field");
        query(
                "CREATE TABLE crossing (id bigint, dt varchar) WITH (primary_key = ARRAY['id'],"
                        + " partitioned_by = ARRAY['dt'])");
        assertThatThrownBy(() -> query("INSERT INTO crossing VALUES (1, 'a')"))
                .hasMessageContaining("keys across partitions");
        query(
                "CREATE TABLE postponed (id bigint, x bigint) WITH (primary_key = ARRAY['id'],"
                        + " bucket = -2)");
        assertThatThrownBy(() -> query("INSERT INTO postponed VALUES (1, 1)"))
                .hasMessageContaining("with bucket = -2");
        assertThatThrownBy(() -> query("CREATE VIEW v AS SELECT 1 x"))
                .hasMessageContaining("does not support creating views");
    }

    @Test
    void partialUpdates() throws Exception {
        query(
                """
                CREATE TABLE partly (id bigint, a bigint, b bigint)
                WITH (primary_key = ARRAY['id'], bucket = 1, merge_engine = 'partial-update',
                options = ARRAY['partial-update.remove-record-on-delete=true'])
                """);
        query("INSERT INTO partly VALUES (1, 10, NULL), (2, 1, 2)");
        query("INSERT INTO partly VALUES (1, NULL, 20)");
        assertRows("partly", "VALUES (BIGINT '1', BIGINT '10', BIGINT '20'), (2, 1, 2)");
        query("UPDATE partly SET a = 11 WHERE id = 1");
        assertRows("partly", "VALUES (BIGINT '1', BIGINT '11', BIGINT '20'), (2, 1, 2)");
        assertThatThrownBy(() -> query("UPDATE partly SET a = NULL WHERE id = 1"))
                .hasMessageContaining("keeps the old value in place of NULL");
        query("DELETE FROM partly WHERE id = 2");
        assertRows("partly", "VALUES (BIGINT '1', BIGINT '11', BIGINT '20')");
    }

    @Test
    void sequenceFieldsOrderRows() throws Exception {
        query(
                """
                CREATE TABLE sequenced (id bigint, x varchar NOT NULL, version bigint)
                WITH (primary_key = ARRAY['id'], bucket = 2, options = ARRAY['sequence.field=version'])
                """);
        query("INSERT INTO sequenced VALUES (1, 'two', 2), (2, 'x', 9)");
        query("INSERT INTO sequenced VALUES (1, 'one', 1)");
        assertRows("sequenced", "VALUES (BIGINT '1', 'two', BIGINT '2'), (2, 'x', 9)");
        query("UPDATE sequenced SET x = 'changed' WHERE id = 1");
        assertRows("sequenced", "VALUES (BIGINT '1', 'changed', BIGINT '2'), (2, 'x', 9)");
        query("DELETE FROM sequenced WHERE id = 2");
        assertRows("sequenced", "VALUES (BIGINT '1', 'changed', BIGINT '2')");
    }

    @Test
    void aChangelogHasRowsBeforeAndAfter() throws Exception {
        query(
                "CREATE TABLE logged (id bigint, x varchar) WITH (primary_key = ARRAY['id'], bucket"
                        + " = 1, changelog_producer = 'input')");
        query("INSERT INTO logged VALUES (1, 'a'), (2, 'b')");
        query("UPDATE logged SET x = 'c' WHERE id = 1");
        query("DELETE FROM logged WHERE id = 2");
        assertRows("logged", "VALUES (BIGINT '1', 'c')");
        FileStoreTable table = lake.table("d", "logged");
        Snapshot update = table.snapshotManager().snapshot(2);
        assertThat(update.changelogRecordCount()).isEqualTo(2);
    }

    @Test
    void concurrentStatementsLoseNothing() throws Exception {
        for (String properties :
                List.of(
                        "",
                        ", primary_key = ARRAY['id'], bucket = 2",
                        ", primary_key = ARRAY['id'], bucket = 2, deletion_vectors = true",
                        ", bucket = 2, bucket_key = ARRAY['id']")) {
            query("DROP TABLE IF EXISTS contended");
            query(
                    "CREATE TABLE contended (id bigint, x varchar) WITH (file_format = 'orc'%s)"
                            .formatted(properties));
            List<Future<?>> statements = new ArrayList<>();
            try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
                for (int i = 0; i < 4; i++) {
                    int first = i * 1_000;
                    statements.add(
                            threads.submit(
                                    () ->
                                            query(
                                                    "INSERT INTO contended SELECT i, 'x' FROM UNNEST(sequence(%s, %s)) AS t(i)"
                                                            .formatted(first, first + 999))));
                }
            }
            for (Future<?> statement : statements) {
                statement.get();
            }
            assertSame("contended", 4_000);
        }
    }

    @Test
    void rowsThatOthersHaveChangedAreNotOverwritten() throws Exception {
        query(
                "CREATE TABLE counted (id bigint, x bigint) WITH (primary_key = ARRAY['id'], bucket"
                        + " = 1)");
        query("INSERT INTO counted VALUES (1, 0)");
        int succeeded = 0;
        List<Future<?>> statements = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            for (int i = 0; i < 8; i++) {
                statements.add(
                        threads.submit(() -> query("UPDATE counted SET x = x + 1 WHERE id = 1")));
            }
        }
        for (Future<?> statement : statements) {
            try {
                statement.get();
                succeeded++;
            } catch (Exception e) {
                assertThat(e).hasMessageContaining("Expected no change of the rows");
            }
        }
        assertThat(succeeded).isPositive();
        assertThat(query("SELECT x FROM counted").getOnlyValue()).isEqualTo((long) succeeded);
        // After a commit of others, whose rows it sees
        lake.write(lake.table("d", "counted"), List.of(GenericRow.of(1L, 100L)), false);
        Session exact = session("snapshot_max_staleness", "0s");
        query(exact, "UPDATE counted SET x = x + 1 WHERE id = 1");
        assertThat(query("SELECT x FROM counted").getOnlyValue()).isEqualTo(101L);
    }

    @Test
    void failedStatementsLeaveNothing() throws Exception {
        for (String properties : List.of("", ", primary_key = ARRAY['id'], bucket = 2")) {
            query("DROP TABLE IF EXISTS unharmed");
            query(
                    "CREATE TABLE unharmed (id bigint, x double) WITH (file_format = 'orc'%s)"
                            .formatted(properties));
            query("INSERT INTO unharmed VALUES (1, 1)");
            List<String> before = dataFiles("unharmed");
            assertThatThrownBy(
                            () ->
                                    query(
                                            "INSERT INTO unharmed SELECT orderkey, 10 / (orderkey -"
                                                    + " 60000) FROM tpch.tiny.orders"))
                    .hasMessageContaining("Division by zero");
            // Writers on other nodes end after the statement has failed
            assertEventually(() -> assertThat(dataFiles("unharmed")).isEqualTo(before));
            assertSame("unharmed", 1);
        }
    }

    @Test
    void tablesThatPaimonMadeAreWritten() throws Exception {
        FileStoreTable table =
                lake.create(
                        "d",
                        "Made",
                        Schema.newBuilder()
                                .column("Id", DataTypes.BIGINT().notNull())
                                .column("Text", DataTypes.CHAR(5))
                                .column("part", DataTypes.INT().notNull())
                                .partitionKeys("part")
                                .primaryKey("Id", "part")
                                .option("bucket", "3")
                                .build());
        lake.write(table, List.of(GenericRow.of(1L, TestingLake.text("abcde"), 1)), false);
        query("INSERT INTO made VALUES (1, 'x', 1), (2, 'y', 1), (3, 'z', 2)");
        assertThat(TestingLake.rows(lake.table("d", "Made")))
                .containsExactlyInAnyOrderElementsOf(Texts.rows(query("SELECT * FROM made")))
                .containsExactlyInAnyOrder("[1, 'x    ', 1]", "[2, 'y    ', 1]", "[3, 'z    ', 2]");
        query("DELETE FROM made WHERE id = 1");
        assertThat(query("SELECT count(*) FROM made").getOnlyValue()).isEqualTo(2L);
    }

    @Test
    void writesCanBeSwitchedOff() throws Exception {
        query("CREATE TABLE kept (x bigint)");
        trino.createCatalog(
                "reading",
                "stele_paimon",
                Map.of(
                        "stele.paimon.warehouse",
                        folder.toString(),
                        "stele.paimon.writes-enabled",
                        "false"));
        for (String statement :
                List.of(
                        "INSERT INTO reading.d.kept VALUES 1",
                        "DROP TABLE reading.d.kept",
                        "CREATE TABLE reading.d.other (x bigint)",
                        "DELETE FROM reading.d.kept",
                        "TRUNCATE TABLE reading.d.kept",
                        "ALTER TABLE reading.d.kept ADD COLUMN y bigint",
                        "CREATE SCHEMA reading.e",
                        "CALL reading.system.compact('d', 'kept')")) {
            assertThatThrownBy(() -> query(statement))
                    .as(statement)
                    .hasMessageContaining("Expected stele.paimon.writes-enabled");
        }
        assertThat(query("SELECT count(*) FROM reading.d.kept").getOnlyValue()).isEqualTo(0L);
    }
}
