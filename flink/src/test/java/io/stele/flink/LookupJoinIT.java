package io.stele.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.protocol.schema.Orientation;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lookup joins with a full cache. */
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
}
