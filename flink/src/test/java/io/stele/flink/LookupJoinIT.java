package io.stele.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.flink.lookup.LookupPartitioner;
import io.stele.flink.option.ConnectionOptions;
import io.stele.flink.table.BoundTable;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowRouter;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.connector.source.abilities.SupportsLookupCustomShuffle.InputDataPartitioner;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.ScalarFunction;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lookup joins with a full cache, and with rows that are shuffled by shard before them. */
final class LookupJoinIT extends BaseSidecarIT {
    private static final int EVENTS = 400;
    private static final String LOADED =
            ", 'lookup.cache' = 'FULL', 'lookup.full-cache.periodic-reload.interval' = '%s'";
    private static final String REGIONS =
            "name STRING, id BIGINT, region STRING, PRIMARY KEY (region, id) NOT ENFORCED";

    /** A session with the events 0 to 399. */
    private static StreamTableEnvironment streaming(int parallelism) {
        StreamTableEnvironment tables =
                StreamTableEnvironment.create(
                        FlinkJobs.environment(new Configuration(), parallelism));
        tables.executeSql(
                """
                CREATE TEMPORARY TABLE events (id BIGINT, p AS PROCTIME()) WITH (
                    'connector' = 'datagen', 'fields.id.kind' = 'sequence',
                    'fields.id.start' = '0', 'fields.id.end' = '%d')"""
                        .formatted(EVENTS - 1));
        return tables;
    }

    /** A table of regions eu and us, each with the ids 0 to 9. */
    private static void createRegions(String table) {
        sidecar.createTable(
                table, Orientation.ROW, 2, "region varchar", "id bigint", "name varchar");
        try (SteleClient client = sidecar.client();
                TableWriter writer = client.writer("shop", table)) {
            for (long id = 0; id < 10; id++) {
                writer.write("eu", id, "eu" + id);
                writer.write("us", id, "us" + id);
            }
        }
    }

    private static List<Row> join(StreamTableEnvironment tables, String table, String condition)
            throws Exception {
        return query(
                tables,
                """
                SELECT e.id, d.region, d.name FROM events AS e
                LEFT JOIN %s FOR SYSTEM_TIME AS OF e.p AS d ON %s"""
                        .formatted(table, condition));
    }

    @Test
    void aFullCacheHasTheRowsOfThePrimaryKey() throws Exception {
        createRegions("by_key");
        StreamTableEnvironment tables = streaming(2);
        declare(tables, "by_key", REGIONS, LOADED.formatted("1 h"));
        List<Row> joined = join(tables, "by_key", "MOD(e.id, 20) = d.id AND d.region = 'us'");
        assertThat(joined).hasSize(EVENTS);
        for (Row row : joined) {
            long id = row.<Long>getFieldAs(0) % 20;
            assertThat(row.getField(2)).isEqualTo(id < 10 ? "us" + id : null);
        }
    }

    @Test
    void aFullCacheHasAllRowsThatMatchAnyColumns() throws Exception {
        createRegions("by_columns");
        StreamTableEnvironment tables = streaming(2);
        declare(tables, "by_columns", REGIONS, LOADED.formatted("1 h"));
        assertThat(join(tables, "by_columns", "e.id = d.id AND e.id < 10"))
                .filteredOn(row -> row.getField(0).equals(3L))
                .containsExactlyInAnyOrder(Row.of(3L, "eu", "eu3"), Row.of(3L, "us", "us3"));
        assertThat(join(tables, "by_columns", "CONCAT('eu', CAST(e.id AS STRING)) = d.name"))
                .hasSize(EVENTS)
                .contains(Row.of(7L, "eu", "eu7"), Row.of(10L, null, null));
    }

    @Test
    void aFullCacheIsOfTablesWithoutAKeyToo() throws Exception {
        sidecar.createTable("keyless", Orientation.COLUMN, 0, "id bigint", "name varchar");
        try (SteleClient client = sidecar.client();
                TableWriter writer = client.writer("shop", "keyless")) {
            writer.write(1L, "a");
            writer.write(1L, "a");
            writer.write(2L, "b");
            writer.write(null, "of no event");
        }
        StreamTableEnvironment tables = streaming(1);
        declare(
                tables,
                "keyless",
                "id BIGINT, name STRING",
                ", 'lookup.cache' = 'FULL', 'lookup.full-cache.reload-strategy' = 'TIMED',"
                        + " 'lookup.full-cache.timed-reload.iso-time' = '03:00Z'");
        assertThat(
                        query(
                                tables,
                                """
                                SELECT e.id, d.name FROM events AS e
                                JOIN keyless FOR SYSTEM_TIME AS OF e.p AS d ON e.id = d.id"""))
                .containsExactlyInAnyOrder(Row.of(1L, "a"), Row.of(1L, "a"), Row.of(2L, "b"));
    }

    @Test
    void aFullCacheIsLoadedAgain() throws Exception {
        createRegions("reloaded");
        sidecar.createTable("seen", Orientation.ROW, 1, "name varchar", "last bigint");
        StreamTableEnvironment tables = streaming(1);
        tables.getConfig().set("table.exec.sink.require-on-conflict", "false");
        tables.executeSql(
                """
                CREATE TEMPORARY TABLE ticks (n BIGINT, id AS n / 10 + 5, p AS PROCTIME()) WITH (
                    'connector' = 'datagen', 'rows-per-second' = '20',
                    'fields.n.min' = '0', 'fields.n.max' = '9')""");
        declare(tables, "reloaded", REGIONS, LOADED.formatted("300 ms"));
        declare(
                tables,
                "seen",
                "name STRING, last BIGINT, PRIMARY KEY (name) NOT ENFORCED",
                ", 'sink.delivery-guarantee' = 'at-least-once'");
        TableResult job =
                tables.executeSql(
                        """
                        INSERT INTO seen SELECT d.name, t.id FROM ticks AS t
                        JOIN reloaded FOR SYSTEM_TIME AS OF t.p AS d ON t.id = d.id""");
        try {
            awaitRows("seen", 2); // of eu and us
            try (SteleClient client = sidecar.client();
                    TableWriter writer = client.writer("shop", "reloaded")) {
                writer.write("eu", 5L, "changed");
                writer.delete("us", 5L);
                writer.write("cn", 5L, "new");
            }
            awaitRows("seen", 4);
            assertThat(sidecar.rows("shop", "seen"))
                    .extracting(row -> row.get(0))
                    .containsExactlyInAnyOrder("eu5", "us5", "changed", "new");
            sidecar.addColumn("reloaded", "later varchar"); // which this job does not read
            try (SteleClient client = sidecar.client();
                    TableWriter writer = client.writer("shop", "reloaded")) {
                writer.write("cn", 5L, "after the column", "x");
            }
            awaitRows("seen", 5);
            sidecar.restart();
            try (SteleClient client = sidecar.client();
                    TableWriter writer = client.writer("shop", "reloaded")) {
                writer.write("cn", 5L, "after the restart", "x");
            }
            awaitRows("seen", 6);
        } finally {
            FlinkJobs.cancel(job.getJobClient().orElseThrow());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'lookup.cache' = 'FULL'",
                "'lookup.cache' = 'FULL', 'lookup.full-cache.reload-strategy' = 'TIMED'",
                "'lookup.cache' = 'FULL', 'lookup.full-cache.reload-strategy' = 'TIMED', 'lookup.full-cache.timed-reload.iso-time' = 'three'"
            })
    void aFullCacheNeedsATimeOfReloads(String options) {
        String table = "wrong_" + Math.abs(options.hashCode());
        createRegions(table);
        StreamTableEnvironment tables = streaming(1);
        declare(tables, table, REGIONS, ", " + options);
        assertThatThrownBy(() -> join(tables, table, "e.id = d.id"))
                .hasStackTraceContaining("Cannot reload a full cache: ");
    }

    /** The number of the subtask that has a row. */
    public static final class Subtask extends ScalarFunction {
        private transient int index;

        @Override
        public void open(FunctionContext context) {
            index = context.getTaskInfo().getIndexOfThisSubtask();
        }

        public int eval(String name) {
            return index;
        }

        @Override
        public boolean isDeterministic() {
            return false;
        }
    }

    private static String shuffled(String table, String condition) {
        return """
               SELECT /*+ LOOKUP('table' = 'd', 'shuffle' = 'true') */ d.region, d.id, subtask(d.name)
               FROM events AS e JOIN %s FOR SYSTEM_TIME AS OF e.p AS d ON %s"""
                .formatted(table, condition);
    }

    /** Finds the shards of keys as the client does. */
    private static int shard(String table, Row key) {
        try (SteleClient client = sidecar.client()) {
            TableSchema schema = client.table("shop", table).schema();
            return RowRouter.of(schema)
                    .shardOfKey(
                            KeyEncoder.forPrimaryKey(schema)
                                    .encodeObjects(List.of(key.getField(0), key.getField(1))));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 9})
    void rowsAreShuffledByTheShardOfTheirKey(int parallelism) throws Exception {
        String table = "shuffled_" + parallelism;
        createRegions(table);
        StreamTableEnvironment tables = streaming(parallelism);
        tables.createTemporarySystemFunction("subtask", Subtask.class);
        declare(tables, table, REGIONS, "");
        List<Row> joined =
                query(
                        tables,
                        shuffled(
                                table,
                                "MOD(e.id, 10) = d.id AND d.region = IF(e.id < 200, 'eu', 'us')"));
        assertThat(joined).hasSize(EVENTS);
        Map<Row, Integer> subtasks = new HashMap<>();
        for (Row row : joined) {
            Row key = Row.of(row.getField(0), row.getField(1));
            int subtask = row.getFieldAs(2);
            subtasks.putIfAbsent(key, subtask);
            assertThat(subtask).as("the one subtask of a key").isEqualTo(subtasks.get(key));
        }
        assertThat(subtasks).hasSize(20);
        subtasks.forEach(
                (key, subtask) -> {
                    int shard = shard(table, key); // of four
                    assertThat(parallelism < 4 ? subtask : subtask % 4)
                            .isEqualTo(parallelism < 4 ? shard % parallelism : shard);
                });
    }

    @Test
    void theShardOfAKeyIsTheOneOfTheClient() throws Exception {
        StreamTableEnvironment tables = streaming(1);
        tables.executeSql(
                "CREATE CATALOG s WITH ('type' = 'stele', %s)".formatted(sidecar.options()));
        run(tables, "CREATE DATABASE IF NOT EXISTS s.shop");
        run(
                tables,
                """
                CREATE TABLE s.shop.keyed (
                    a STRING, b BIGINT, c DECIMAL(12, 2), d STRING, PRIMARY KEY (a, b, c) NOT ENFORCED)
                WITH ('distribution-key' = 'c;a', 'shard-count' = '5')""");
        BoundTable table =
                BoundTable.declare(
                        ConnectionOptions.of(config(Map.of())), "shop", "keyed", List.of());
        KeyEncoder encoder = KeyEncoder.forPrimaryKey(table.schema());
        RowRouter router = RowRouter.of(table.schema());
        InputDataPartitioner shuffle =
                LookupPartitioner.of(table, new int[] {2, 3, 0}).orElseThrow();
        assertThat(LookupPartitioner.of(table, new int[] {0, 1, 3})).isEmpty();
        for (int i = 0; i < 500; i++) {
            BigDecimal c = BigDecimal.valueOf(i % 50 - 25, 2);
            String a = "a" + i;
            RowData key =
                    GenericRowData.of(
                            DecimalData.fromBigDecimal(c, 12, 2),
                            StringData.fromString("d"),
                            StringData.fromString(a));
            int shard = router.shardOfKey(encoder.encodeObjects(List.of(a, (long) i, c)));
            assertThat(shuffle.partition(key, 5)).isEqualTo(shard);
            assertThat(shuffle.partition(key, 3)).isEqualTo(shard % 3);
            assertThat(shuffle.partition(key, 13)).isLessThan(13).matches(to -> to % 5 == shard);
        }
        assertThat(
                        shuffle.partition(
                                GenericRowData.of(
                                        null, null, StringData.fromString("without a decimal")),
                                5))
                .isZero();
    }

    @Test
    void onlyKeysThatDetermineTheShardAreShuffled() {
        createRegions("partly");
        StreamTableEnvironment tables = streaming(3);
        tables.createTemporarySystemFunction("subtask", Subtask.class);
        declare(tables, "partly", REGIONS, LOADED.formatted("1 h"));
        assertThat(plan(tables, shuffled("partly", "e.id = d.id AND d.region = 'eu'")))
                .contains("CUSTOM");
        assertThat(plan(tables, shuffled("partly", "e.id = d.id"))).doesNotContain("CUSTOM");
        assertThat(
                        plan(
                                tables,
                                shuffled("partly", "e.id = d.id AND d.region = 'eu'")
                                        .replace("'true'", "'false'")))
                .doesNotContain("CUSTOM");
    }

    private static String plan(StreamTableEnvironment tables, String sql) {
        return tables.explainSql(sql, ExplainDetail.JSON_EXECUTION_PLAN);
    }

    @Test
    void joinsOfOneTableByDifferentKeysFindTheirRows() throws Exception {
        createRegions("twice");
        StreamTableEnvironment tables = streaming(3);
        declare(tables, "twice", REGIONS, LOADED.formatted("1 h"));
        List<Row> joined =
                query(
                        tables,
                        """
                        SELECT /*+ LOOKUP('table' = 'a', 'shuffle' = 'true'), LOOKUP('table' = 'b', 'shuffle' = 'true') */
                            e.id, a.name, b.id
                        FROM events AS e
                        JOIN twice FOR SYSTEM_TIME AS OF e.p AS a ON e.id = a.id AND a.region = 'eu'
                        JOIN twice FOR SYSTEM_TIME AS OF e.p AS b
                            ON CONCAT('us', CAST(e.id AS STRING)) = b.name AND b.region = 'us' AND b.id = a.id""");
        assertThat(joined).hasSize(10).contains(Row.of(4L, "eu4", 4L));
    }
}
