package io.stele.paimon;

import static io.trino.testing.TestingSession.testSessionBuilder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.testing.LongRun;
import io.trino.testing.MaterializedResult;
import io.trino.testing.QueryRunner;
import java.io.StringReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import javax.management.ObjectName;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.stats.Statistics;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.PostponeUtils;
import org.apache.paimon.table.sink.TableCommitImpl;
import org.apache.paimon.table.sink.TableWriteImpl;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Queries of tables that Paimon's library writes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PaimonReadIT {
    private Path folder;
    private TestingLake lake;
    private QueryRunner trino;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        this.folder = folder;
        lake = new TestingLake(folder);
        trino = TestingTrino.over(folder);
    }

    @AfterAll
    void stop() throws Exception {
        trino.close();
        lake.close();
    }

    private static Schema.Builder orders() {
        return Schema.newBuilder()
                .column("id", DataTypes.BIGINT().notNull())
                .column("customer", DataTypes.STRING())
                .column("price", DataTypes.DECIMAL(12, 2))
                .column("day", DataTypes.INT());
    }

    private static GenericRow order(long id, String customer, String price, int day) {
        return GenericRow.of(
                id,
                TestingLake.text(customer),
                Decimal.fromBigDecimal(new java.math.BigDecimal(price), 12, 2),
                day);
    }

    private MaterializedResult query(String sql) {
        return trino.execute(sql);
    }

    private void assertSame(String table) throws Exception {
        assertThat(Texts.rows(query("SELECT * FROM " + table)))
                .containsExactlyInAnyOrderElementsOf(TestingLake.rows(lake.table("d", table)));
    }

    @Test
    void appendedRows() throws Exception {
        FileStoreTable table = lake.create("d", "appended", orders().build());
        assertThat(query("SELECT * FROM appended").getRowCount()).isZero();
        lake.write(table, List.of(order(1, "a", "1.50", 1), order(2, "b", "2.25", 2)), false);
        lake.write(table, List.of(order(3, "c", "-3.75", 1)), false);
        assertSame("appended");
        assertThat(query("SELECT sum(price) FROM appended WHERE id >= 2").getOnlyValue())
                .hasToString("-1.50");
        assertThat(query("SELECT count(*) FROM appended").getOnlyValue()).isEqualTo(3L);
    }

    @Test
    void rowsOfAKeyAreMerged() throws Exception {
        for (String engine : List.of("deduplicate", "first-row")) {
            String name = "merged_" + engine.replace("-", "_");
            FileStoreTable table =
                    lake.create(
                            "d",
                            name,
                            orders().primaryKey("id")
                                    .option("bucket", "2")
                                    .option("merge-engine", engine)
                                    .build());
            lake.write(table, List.of(order(1, "a", "1", 1), order(2, "b", "2", 1)), false);
            lake.write(table, List.of(order(2, "B", "3", 2), order(3, "c", "4", 2)), true);
            assertSame(name);
        }
    }

    /** Paimon's indexes have six digits; each kind of reader finds a row by the others, too. */
    @Test
    void rowsAreFoundByNineDigitsOfAMoment() throws Exception {
        for (String engine : List.of("", "deduplicate", "aggregation")) {
            String name = "moments_" + engine;
            Schema.Builder schema =
                    Schema.newBuilder()
                            .column("id", DataTypes.INT().notNull())
                            .column("t", DataTypes.TIMESTAMP(9))
                            .option("file-index.bsi.columns", "t")
                            .option("file-index.in-manifest-threshold", "1MB");
            if (!engine.isEmpty()) {
                schema.primaryKey("id").option("bucket", "1").option("merge-engine", engine);
            }
            FileStoreTable table = lake.create("d", name, schema.build());
            lake.write(
                    table,
                    List.of(GenericRow.of(1, Timestamp.fromEpochMillis(0, 123_456))),
                    !engine.isEmpty());
            assertThat(
                            query(
                                            "SELECT id FROM "
                                                    + name
                                                    + " WHERE t > TIMESTAMP '1970-01-01 00:00:00.000123455'")
                                    .getOnlyValue())
                    .as(name)
                    .isEqualTo(1);
        }
    }

    @Test
    void deletionVectorsHideRows() throws Exception {
        FileStoreTable table =
                lake.create(
                        "d",
                        "vectors",
                        orders().primaryKey("id")
                                .option("bucket", "1")
                                .option("deletion-vectors.enabled", "true")
                                .build());
        List<GenericRow> rows = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            rows.add(order(i, "c" + i % 7, i + ".5", i % 10));
        }
        lake.write(table, rows, true);
        GenericRow gone = order(7, "", "0", 0);
        gone.setRowKind(RowKind.DELETE);
        lake.write(table, List.of(order(5, "five", "5", 5), gone), true);
        assertSame("vectors");
        assertThat(query("SELECT customer FROM vectors WHERE id = 5").getOnlyValue())
                .isEqualTo("five");
        assertThat(query("SELECT * FROM vectors WHERE id = 7").getRowCount()).isZero();
        // By a reader of this plugin, and one that merges by Paimon's
        assertThat((String) query("EXPLAIN ANALYZE VERBOSE SELECT * FROM vectors").getOnlyValue())
                .containsPattern("'native files' = LongCount\\{total=[1-9]")
                .containsPattern("'splits read by Paimon's reader' = LongCount\\{total=0");
        lake.write(table, List.of(order(5, "five again", "5", 5)), false);
        assertSame("vectors");
    }

    /** Each query asks the lake, so that two looks of one query could find two snapshots. */
    @Test
    void allScansOfAQuerySeeOneSnapshotWhileOthersCommit() throws Exception {
        FileStoreTable table =
                lake.create(
                        "d",
                        "moving",
                        orders().primaryKey("id")
                                .option("bucket", "1")
                                .option("write-only", "true")
                                .build());
        lake.write(table, List.of(order(0, "x", "1", 1)), false);
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicLong commits = new AtomicLong();
        try (TestingLake writer = new TestingLake(folder);
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<?> writes =
                    threads.submit(
                            () -> {
                                FileStoreTable written = writer.table("d", "moving");
                                while (!isOver.get()) {
                                    long id = commits.incrementAndGet();
                                    writer.write(written, List.of(order(id, "x", "1", 1)), false);
                                }
                                return null;
                            });
            try {
                Set<Object> sizes = new HashSet<>();
                while (sizes.size() < 5) {
                    MaterializedResult row =
                            query(
                                    "SELECT (SELECT count(*) FROM moving), (SELECT max(id) + 1 FROM"
                                            + " moving), (SELECT count(*) FROM moving a FULL JOIN"
                                            + " moving b ON a.id = b.id WHERE a.id IS NULL OR b.id"
                                            + " IS NULL)");
                    List<Object> values = row.getMaterializedRows().get(0).getFields();
                    assertThat(values.get(1)).isEqualTo(values.get(0));
                    assertThat(values.get(2)).isEqualTo(0L);
                    sizes.add(values.get(0));
                }
            } finally {
                isOver.set(true);
                writes.get(1, TimeUnit.MINUTES);
            }
        }
    }

    /**
     * Rows that wait for a compaction are not seen, as by Paimon's reader; those in buckets are.
     */
    @Test
    void postponedRowsAreSeenOnceTheyAreInBuckets() throws Exception {
        FileStoreTable table =
                lake.create(
                        "d", "postponed", orders().primaryKey("id").option("bucket", "-2").build());
        lake.write(table, List.of(order(1, "waits", "1", 1), order(2, "waits", "2", 1)), false);
        assertSame("postponed");
        assertThat(query("SELECT count(*) FROM postponed").getOnlyValue()).isEqualTo(0L);
        // As a compaction does it
        for (String customer : List.of("first", "second")) {
            FileStoreTable inBuckets = PostponeUtils.tableForFixBucketWrite(table);
            String user = "compaction " + customer;
            try (TableWriteImpl<?> write = inBuckets.newWrite(user);
                    TableCommitImpl commit = PostponeUtils.tableForCommit(table).newCommit(user);
                    IOManager disk = IOManager.create(folder.resolve(".spill").toString())) {
                write.withIOManager(disk);
                write.write(order(1, customer, "1", 1));
                if (customer.equals("first")) {
                    write.write(order(2, customer, "1", 1));
                }
                commit.commit(1, write.prepareCommit(true, 1));
            }
        }
        assertSame("postponed");
        assertThat(query("SELECT customer FROM postponed WHERE id = 1").getOnlyValue())
                .isEqualTo("second");
        assertThat(query("SELECT count(*) FROM postponed").getOnlyValue()).isEqualTo(2L);
    }

    /** Lookups of each key beside a scan of all rows, over files in several levels. */
    @Test
    void lookupsRespectMergeEnginesAndDeletions() throws Exception {
        for (Map<String, String> options :
                List.of(
                        Map.of("merge-engine", "deduplicate", "deletion-vectors.enabled", "true"),
                        Map.of(
                                "merge-engine",
                                "deduplicate",
                                "changelog-producer",
                                "full-compaction"),
                        Map.of("merge-engine", "partial-update"),
                        Map.of(
                                "merge-engine",
                                "partial-update",
                                "deletion-vectors.enabled",
                                "true"),
                        Map.of("merge-engine", "first-row"),
                        Map.of(
                                "merge-engine",
                                "aggregation",
                                "fields.price.aggregate-function",
                                "sum"))) {
            String name = "looked_up_" + Math.abs(options.hashCode());
            Schema.Builder schema = orders().primaryKey("id").option("bucket", "2");
            options.forEach(schema::option);
            FileStoreTable table = lake.create("d", name, schema.build());
            for (int version = 0; version < 4; version++) {
                List<GenericRow> rows = new ArrayList<>();
                for (int id = version; id < 60; id += version + 1) {
                    rows.add(order(id, "c" + version, version + ".25", version));
                }
                if (options.get("merge-engine").equals("deduplicate")) {
                    GenericRow gone = order(10 + version, "", "0", 0);
                    gone.setRowKind(RowKind.DELETE);
                    rows.add(gone);
                }
                lake.write(table, rows, version == 1);
            }
            assertSame(name);
            List<String> all = TestingLake.rows(table);
            for (long id = 0; id < 62; id += LongRun.count(3, 1)) {
                long key = id;
                assertThat(Texts.rows(query("SELECT * FROM %s WHERE id = %s".formatted(name, id))))
                        .as("%s, id %s", options, id)
                        .containsExactlyInAnyOrderElementsOf(
                                all.stream().filter(row -> hasKey(row, key)).toList());
            }
            assertThat(
                            Texts.rows(
                                    query(
                                            "SELECT * FROM %s WHERE id IN (10, 11, 40, 999)"
                                                    .formatted(name))))
                    .containsExactlyInAnyOrderElementsOf(
                            all.stream()
                                    .filter(
                                            row ->
                                                    Stream.of(10, 11, 40)
                                                            .anyMatch(key -> hasKey(row, key)))
                                    .toList());
        }
    }

    private static boolean hasKey(String row, long key) {
        return row.startsWith("[" + key + ", ");
    }

    @Test
    void partitionsAreEnforced() throws Exception {
        FileStoreTable table =
                lake.create(
                        "d",
                        "partitioned",
                        Schema.newBuilder()
                                .column("id", DataTypes.INT())
                                .column("dt", DataTypes.STRING())
                                .column("hour", DataTypes.INT())
                                .partitionKeys("dt", "hour")
                                .build());
        List<GenericRow> rows = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            rows.add(
                    GenericRow.of(
                            i,
                            i % 5 == 4 ? null : TestingLake.text("2024-01-0" + i % 5 + " x%:"),
                            i % 3));
        }
        lake.write(table, rows, false);
        assertSame("partitioned");
        assertThat(query("SELECT count(*) FROM partitioned WHERE dt IS NULL").getOnlyValue())
                .isEqualTo(12L);
        assertThat(
                        query(
                                        "SELECT count(*) FROM partitioned WHERE dt = '2024-01-01"
                                                + " x%:' AND hour = 1")
                                .getOnlyValue())
                .isEqualTo(4L);
        assertThat(
                        (String)
                                query("EXPLAIN SELECT count(*) FROM partitioned WHERE hour = 1")
                                        .getOnlyValue())
                .doesNotContain("Filter");
    }

    /** Files of which nothing but the number of rows is wanted are not opened: they may be gone. */
    @Test
    void rowsAreCountedWithoutFiles() throws Exception {
        for (String vectors : List.of("false", "true")) {
            String name = "counted_" + vectors;
            FileStoreTable table =
                    lake.create(
                            "d",
                            name,
                            orders().column("dt", DataTypes.STRING().notNull())
                                    .primaryKey("id", "dt")
                                    .partitionKeys("dt")
                                    .option("bucket", "1")
                                    .option("deletion-vectors.enabled", vectors)
                                    .build());
            List<GenericRow> rows = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                rows.add(
                        GenericRow.of(
                                (long) i,
                                TestingLake.text("a"),
                                Decimal.fromBigDecimal(new java.math.BigDecimal("1.00"), 12, 2),
                                1,
                                TestingLake.text(i % 3 == 0 ? "x" : "y")));
            }
            lake.write(table, rows, true);
            trino.execute("UPDATE " + name + " SET day = 2 WHERE id < 6");
            trino.execute("DELETE FROM " + name + " WHERE id = 29");
            if (vectors.equals("false")) {
                trino.execute("CALL system.compact('d', '%s')".formatted(name));
            }
            assertSame(name);
            try (Stream<Path> files = Files.walk(folder.resolve("d.db").resolve(name))) {
                for (Path file :
                        files.filter(file -> file.toString().endsWith(".parquet")).toList()) {
                    Files.delete(file);
                }
            }
            assertThat(query("SELECT count(*) FROM " + name).getOnlyValue()).isEqualTo(29L);
            assertThat(query("SELECT count(*) FROM " + name + " WHERE dt = 'x'").getOnlyValue())
                    .isEqualTo(10L);
            assertThatThrownBy(() -> query("SELECT count(day) FROM " + name))
                    .hasMessageContaining("found none");
        }
    }

    @Test
    void versionsAndTags() throws Exception {
        FileStoreTable table =
                lake.create(
                        "d", "versions", orders().primaryKey("id").option("bucket", "1").build());
        lake.write(table, List.of(order(1, "one", "1", 1)), false);
        table.createTag("first");
        lake.write(table, List.of(order(1, "two", "2", 1)), false);
        lake.catalog()
                .alterTable(
                        Identifier.create("d", "versions"),
                        List.of(
                                SchemaChange.renameColumn("customer", "who"),
                                SchemaChange.addColumn("more", DataTypes.INT())),
                        false);
        lake.write(
                lake.table("d", "versions"),
                List.of(
                        GenericRow.of(
                                2L,
                                TestingLake.text("three"),
                                Decimal.fromUnscaledLong(100, 12, 2),
                                1,
                                9)),
                false);
        assertSame("versions");
        assertThat(query("SELECT customer FROM versions FOR VERSION AS OF 1").getOnlyValue())
                .isEqualTo("one");
        assertThat(query("SELECT customer FROM versions FOR VERSION AS OF 'first'").getOnlyValue())
                .isEqualTo("one");
        assertThat(query("SELECT count(*) FROM versions FOR VERSION AS OF 3").getOnlyValue())
                .isEqualTo(2L);
        long millis = table.snapshotManager().snapshot(2).timeMillis();
        assertThat(
                        query(
                                        "SELECT customer FROM versions FOR TIMESTAMP AS OF from_unixtime_nanos(%s)"
                                                .formatted(millis * 1_000_000))
                                .getOnlyValue())
                .isEqualTo("two");
        assertThatThrownBy(() -> query("SELECT * FROM versions FOR VERSION AS OF 77"))
                .hasMessageContaining("Expected a snapshot of versions from 1 to 3, found 77");
        assertThatThrownBy(() -> query("SELECT * FROM versions FOR VERSION AS OF 'none'"))
                .hasMessageContaining("found 'none', which it does not have");
    }

    @Test
    void systemTablesAndBranches() throws Exception {
        FileStoreTable table =
                lake.create(
                        "d", "systems", orders().primaryKey("id").option("bucket", "1").build());
        lake.write(table, List.of(order(1, "one", "1", 1)), true);
        table.createTag("t1");
        table.createBranch("side", "t1");
        lake.write(table.switchToBranch("side"), List.of(order(2, "two", "1", 1)), true);
        assertThat(query("SELECT count(*) FROM \"systems$branch_side\"").getOnlyValue())
                .isEqualTo(2L);
        assertThat(query("SELECT count(*) FROM systems").getOnlyValue()).isEqualTo(1L);
        for (String name :
                List.of(
                        "snapshots",
                        "files",
                        "schemas",
                        "options",
                        "manifests",
                        "partitions",
                        "tags",
                        "branches",
                        "audit_log",
                        "ro")) {
            assertThat(query("SELECT * FROM \"systems$" + name + "\"").getRowCount())
                    .as(name)
                    .isPositive();
        }
        assertThat(query("SELECT max(snapshot_id) FROM \"systems$snapshots\"").getOnlyValue())
                .isEqualTo(table.snapshotManager().latestSnapshotId());
        assertThatThrownBy(() -> query("SELECT * FROM \"systems$nonsense\""))
                .hasMessageContaining("does not exist");
    }

    @Test
    void namesAndListings() throws Exception {
        lake.create("d", "Named", orders().build());
        assertThat(query("SHOW TABLES").getOnlyColumnAsSet()).contains("named");
        assertThat(query("SELECT count(*) FROM named").getOnlyValue()).isEqualTo(0L);
        assertThat(
                        query(
                                        "SELECT column_name FROM information_schema.columns WHERE"
                                                + " table_name = 'named'")
                                .getOnlyColumnAsSet())
                .containsExactlyInAnyOrder("id", "customer", "price", "day");
        assertThat((String) query("SHOW CREATE TABLE named").getOnlyValue())
                .contains("file_format = 'parquet'")
                .contains("id bigint NOT NULL");
    }

    @Test
    void namesStayInTheirSchema() throws Exception {
        lake.catalog().createDatabase("secret", true);
        lake.create("secret", "t", orders().build());
        for (String name :
                List.of(
                        "../secret.db/t",
                        lake.table("secret", "t").location().toString(),
                        "./t",
                        "t$branch_../x")) {
            assertThatThrownBy(() -> query("SELECT * FROM \"" + name + "\""))
                    .as(name)
                    .hasMessageContaining("does not exist");
        }
        assertThatThrownBy(() -> query("SELECT * FROM lake.\"../secret\".t"))
                .hasMessageContaining("does not exist");
    }

    @Test
    void aRollbackIsSeen() throws Exception {
        FileStoreTable table =
                lake.create("d", "rolled", orders().primaryKey("id").option("bucket", "1").build());
        lake.write(table, List.of(order(1, "one", "1", 1)), false);
        lake.write(table, List.of(order(1, "two", "1", 1)), false);
        assertThat(query("SELECT customer FROM rolled").getOnlyValue()).isEqualTo("two");
        table.rollbackTo(1);
        assertThat(query("SELECT customer FROM rolled").getOnlyValue()).isEqualTo("one");
        lake.write(table, List.of(order(1, "three", "1", 1)), false);
        assertThat(query("SELECT customer FROM rolled").getOnlyValue()).isEqualTo("three");
        assertThat(query("SELECT customer FROM rolled FOR VERSION AS OF 2").getOnlyValue())
                .isEqualTo("three");
    }

    @Test
    void sizesOfSplitsHaveLimits() {
        assertThatThrownBy(
                        () ->
                                trino.execute(
                                        testSessionBuilder()
                                                .setCatalog("lake")
                                                .setSchema("d")
                                                .setCatalogSessionProperty(
                                                        "lake", "max_split_size", "0B")
                                                .build(),
                                        "SELECT 1 FROM lake.information_schema.tables"))
                .hasMessageContaining("Expected 1MB to 1GB, found 0B");
    }

    @Test
    void aMissingStatisticsFileCostsNoQuery() throws Exception {
        FileStoreTable table = lake.create("d", "analyzed", orders().build());
        lake.write(table, List.of(order(1, "one", "1", 1)), false);
        Statistics statistics = new Statistics(1, 0, 1L, 100L, new HashMap<>());
        try (var commit = table.newBatchWriteBuilder().newCommit()) {
            commit.updateStatistics(statistics);
        }
        String file = table.snapshotManager().latestSnapshot().statistics();
        Files.delete(Path.of(table.location().toUri().getPath(), "statistics", file));
        assertThat(query("SELECT count(*) FROM analyzed").getOnlyValue()).isEqualTo(1L);
    }

    @Test
    void theExampleOfTheDocumentationIsACatalog(@TempDir Path other) throws Exception {
        String page = Files.readString(Path.of("..", "docs/paimon.md"));
        String example = page.split("```properties\n")[1].split("```")[0];
        Properties properties = new Properties();
        properties.load(new StringReader(example));
        assertThat(properties.remove("connector.name")).isEqualTo("stele_paimon");
        Map<String, String> config = new HashMap<>();
        properties.forEach((key, value) -> config.put((String) key, (String) value));
        // The rest as it stands, on a lake that is here
        config.put("stele.paimon.warehouse", other.toString());
        trino.createCatalog("documented", "stele_paimon", config);
        assertThat(query("SHOW SCHEMAS FROM documented").getOnlyColumnAsSet())
                .contains("information_schema");
        try (Stream<Path> files = Files.list(other)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void imagesHaveMetrics() throws Exception {
        lake.write(
                lake.create("d", "measured", orders().option("bucket", "-1").build()),
                List.of(order(1, "a", "1.00", 1)),
                false);
        long found = metric("Misses");
        trino.execute("SELECT count(*) FROM measured WHERE id > 0");
        assertThat(metric("Misses")).isEqualTo(found + 1);
        assertThat(metric("Built") + metric("Advanced") + metric("Reopened")).isPositive();
        assertThat(metric("Bytes")).isBetween(1L, metric("MaxBytes"));
    }

    private static long metric(String attribute) throws Exception {
        return (long)
                ManagementFactory.getPlatformMBeanServer()
                        .getAttribute(
                                new ObjectName("stele:type=paimon_images,catalog=lake"), attribute);
    }
}
