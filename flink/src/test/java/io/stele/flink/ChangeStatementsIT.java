package io.stele.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.Change;
import io.stele.client.ChangeOptions;
import io.stele.client.ShardChanges;
import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.scan.ChangeKind;
import io.stele.protocol.schema.Orientation;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TRUNCATE, INSERT OVERWRITE, DELETE and UPDATE of Flink on tables of a real sidecar. */
final class ChangeStatementsIT extends BaseSidecarIT {
    private static final int MANY = 50_000;

    private static TableEnvironment tables;

    @BeforeAll
    static void openCatalog() throws Exception {
        tables = batch();
        tables.executeSql(
                "CREATE CATALOG s WITH ('type' = 'stele', %s)".formatted(sidecar.options()));
        tables.useCatalog("s");
        tables.executeSql("CREATE DATABASE shop");
        tables.useDatabase("shop");
    }

    private static void run(String sql) throws Exception {
        run(tables, sql);
    }

    /** Creates a table of three rows; keyed ones have the key id, and others no key. */
    private static void create(String name, boolean keyed, String more) throws Exception {
        run(
                "CREATE TABLE %s (id BIGINT NOT NULL, name STRING, n INT%s)%s"
                        .formatted(name, keyed ? ", PRIMARY KEY (id) NOT ENFORCED" : "", more));
        run("INSERT INTO %s VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 30)".formatted(name));
    }

    private static List<List<Object>> rows(String name) {
        return sidecar.rows("shop", name);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void truncateLeavesNoRow(boolean keyed) throws Exception {
        String table = "truncated_" + keyed;
        create(table, keyed, "");
        run("TRUNCATE TABLE " + table);
        assertThat(rows(table)).isEmpty();
        run("INSERT INTO %s VALUES (4, 'd', 40)".formatted(table));
        assertThat(rows(table)).containsExactly(List.of(4L, "d", 40));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void overwriteReplacesAllRows(boolean keyed) throws Exception {
        String table = "overwritten_" + keyed;
        create(table, keyed, "");
        run("INSERT OVERWRITE %s VALUES (3, 'x', 1), (5, 'y', 2)".formatted(table));
        assertThat(rows(table)).containsExactlyInAnyOrder(List.of(3L, "x", 1), List.of(5L, "y", 2));
        // A query of the table itself sees the rows that it replaces
        run("INSERT OVERWRITE %s SELECT id + 1, name, n FROM %s".formatted(table, table));
        assertThat(rows(table)).containsExactlyInAnyOrder(List.of(4L, "x", 1), List.of(6L, "y", 2));
        run("INSERT OVERWRITE %s SELECT * FROM %s WHERE n > 99".formatted(table, table));
        assertThat(rows(table)).isEmpty();
    }

    @Test
    void overwriteTakesManyRowsAndTheLastOfAKey() throws Exception {
        create("many", true, "");
        run(
                "CREATE TEMPORARY TABLE numbers (i INT) WITH ('connector' = 'datagen', 'number-of-rows' = '%d', 'fields.i.kind' = 'sequence', 'fields.i.start' = '0', 'fields.i.end' = '%d')"
                        .formatted(MANY, MANY - 1));
        run(
                "INSERT OVERWRITE many SELECT CAST(MOD(i, %d) AS BIGINT), 'n', MOD(i, %d) FROM numbers"
                        .formatted(MANY / 2, MANY / 2));
        List<List<Object>> found = rows("many");
        assertThat(found).hasSize(MANY / 2);
        assertThat(found).allMatch(row -> ((Long) row.get(0)).intValue() == (Integer) row.get(2));
    }

    @Test
    void aFailedOverwriteChangesNothing() throws Exception {
        create("kept", true, "");
        assertThatThrownBy(
                        () ->
                                run(
                                        "INSERT OVERWRITE kept SELECT id, name, CAST(name AS INT) FROM kept"))
                .hasStackTraceContaining("NumberFormatException");
        assertThat(rows("kept")).hasSize(3);
        assertThat(tables.listTables()).contains("kept");
    }

    @Test
    void overwriteIsForBoundedQueriesAndTheDefaultTableGroup() throws Exception {
        create("streamed", false, "");
        TableEnvironment streaming =
                TableEnvironment.create(
                        EnvironmentSettings.newInstance().inStreamingMode().build());
        streaming.executeSql(
                "CREATE CATALOG s WITH ('type' = 'stele', %s)".formatted(sidecar.options()));
        assertThatThrownBy(
                        () -> run(streaming, "INSERT OVERWRITE s.shop.streamed VALUES (1, 'a', 1)"))
                .hasStackTraceContaining("Expected a bounded query");
        sidecar.createTableInGroup("a_group", "grouped", Orientation.COLUMN, 0, "id integer");
        assertThatThrownBy(() -> run("INSERT OVERWRITE grouped VALUES (1)"))
                .hasStackTraceContaining(
                        "Expected a table of the default table group to overwrite, found table shop.grouped");
    }

    /** Creates a table with three rows in partitions a and b; the key has the partition. */
    private static void createInPartitions(String name, boolean keyed) throws Exception {
        run(
                "CREATE TABLE %s (id BIGINT NOT NULL, part STRING%s, n INT%s) PARTITIONED BY (part)"
                        .formatted(
                                name,
                                keyed ? " NOT NULL" : "",
                                keyed ? ", PRIMARY KEY (id, part) NOT ENFORCED" : ""));
        run("INSERT INTO %s VALUES (1, 'a', 10), (2, 'a', 20), (3, 'b', 30)".formatted(name));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void overwriteReplacesTheNamedPartitionAtOneLsn(boolean keyed) throws Exception {
        String table = "one_partition_" + keyed;
        createInPartitions(table, keyed);
        try (ChangeLog changes = ChangeLog.after(table)) {
            run(
                    "INSERT OVERWRITE %s PARTITION (part = 'a') VALUES (2, 21), (4, 40), (5, 50)"
                            .formatted(table));
            assertThat(rows(table))
                    .containsExactlyInAnyOrder(
                            List.of(2L, "a", 21),
                            List.of(4L, "a", 40),
                            List.of(5L, "a", 50),
                            List.of(3L, "b", 30));
            List<Seen> seen = changes.take(keyed ? 4 : 5);
            assertThat(seen).extracting(Seen::lsn).containsOnly(seen.get(0).lsn());
            assertThat(seen)
                    .extracting(Seen::kind)
                    .containsExactlyInAnyOrder(
                            keyed
                                    ? new ChangeKind[] {
                                        ChangeKind.DELETE,
                                        ChangeKind.UPDATE,
                                        ChangeKind.INSERT,
                                        ChangeKind.INSERT
                                    }
                                    : new ChangeKind[] {
                                        ChangeKind.DELETE,
                                        ChangeKind.DELETE,
                                        ChangeKind.INSERT,
                                        ChangeKind.INSERT,
                                        ChangeKind.INSERT
                                    });
        }
        run(
                "INSERT OVERWRITE %s PARTITION (part = 'a') SELECT id, n FROM %s WHERE n > 99"
                        .formatted(table, table));
        assertThat(rows(table)).containsExactly(List.of(3L, "b", 30));
        run("INSERT OVERWRITE %s PARTITION (part = 'new') VALUES (9, 90)".formatted(table));
        assertThat(rows(table))
                .containsExactlyInAnyOrder(List.of(3L, "b", 30), List.of(9L, "new", 90));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void overwriteWithoutAPartitionReplacesThoseThatGetRows(boolean keyed) throws Exception {
        String table = "some_partitions_" + keyed;
        createInPartitions(table, keyed);
        run("INSERT OVERWRITE %s VALUES (7, 'c', 70), (8, 'b', 80), (9, 'c', 90)".formatted(table));
        assertThat(rows(table))
                .containsExactlyInAnyOrder(
                        List.of(1L, "a", 10),
                        List.of(2L, "a", 20),
                        List.of(8L, "b", 80),
                        List.of(7L, "c", 70),
                        List.of(9L, "c", 90));
        // A query of the table itself sees the rows that it replaces
        run(
                "INSERT OVERWRITE %s SELECT id + 1, part, n FROM %s WHERE part <> 'b'"
                        .formatted(table, table));
        assertThat(rows(table))
                .containsExactlyInAnyOrder(
                        List.of(2L, "a", 10),
                        List.of(3L, "a", 20),
                        List.of(8L, "b", 80),
                        List.of(8L, "c", 70),
                        List.of(10L, "c", 90));
        run("INSERT OVERWRITE %s SELECT * FROM %s WHERE n > 99".formatted(table, table));
        assertThat(rows(table)).hasSize(5);
    }

    @Test
    void overwriteOfAPartOfThePartitionColumnsReplacesThoseOfItsRows() throws Exception {
        run(
                "CREATE TABLE two_levels (n INT, placed DATE, hour_of_day INT, who STRING) PARTITIONED BY (placed, hour_of_day)");
        run(
                """
                INSERT INTO two_levels VALUES (1, DATE '2026-01-01', 1, 'x'), (2, DATE '2026-01-01', 2, 'x'), (3, DATE '2026-01-02', 1, 'x'),
                (4, DATE '2026-01-01', CAST(NULL AS INT), 'x')""");
        run(
                "INSERT OVERWRITE two_levels PARTITION (placed = '2026-01-01') (n, hour_of_day) VALUES (5, 1), (6, CAST(NULL AS INT))");
        LocalDate first = LocalDate.of(2026, 1, 1);
        assertThat(rows("two_levels"))
                .containsExactlyInAnyOrder(
                        Arrays.asList(5, first, 1, null),
                        List.of(2, first, 2, "x"),
                        List.of(3, LocalDate.of(2026, 1, 2), 1, "x"),
                        Arrays.asList(6, first, null, null));
        run(
                "INSERT OVERWRITE two_levels PARTITION (placed = '2026-01-01', hour_of_day = 2) VALUES (7, 'y')");
        assertThat(rows("two_levels"))
                .hasSize(4)
                .contains(List.of(7, first, 2, "y"))
                .doesNotContain(List.of(2, first, 2, "x"));
        assertThatThrownBy(
                        () ->
                                run(
                                        "INSERT OVERWRITE two_levels PARTITION (placed = 'soon', hour_of_day = 2) VALUES (7, 'y')"))
                .hasStackTraceContaining("soon");
    }

    @Test
    void aPartitionThatIsNamedBesideColumnsIsWritten() throws Exception {
        createInPartitions("named_beside", true);
        run("INSERT INTO named_beside PARTITION (part = 'c') (id) VALUES (4)");
        run("INSERT OVERWRITE named_beside PARTITION (part = 'a') (id) VALUES (5)");
        assertThat(rows("named_beside"))
                .containsExactlyInAnyOrder(
                        List.of(3L, "b", 30),
                        Arrays.asList(4L, "c", null),
                        Arrays.asList(5L, "a", null));
    }

    @Test
    void aFailedOverwriteOfAPartitionChangesNothing() throws Exception {
        createInPartitions("kept_partition", true);
        assertThatThrownBy(
                        () ->
                                run(
                                        "INSERT OVERWRITE kept_partition PARTITION (part = 'a') SELECT id, CAST(part AS INT) FROM kept_partition"))
                .hasStackTraceContaining("NumberFormatException");
        assertThat(rows("kept_partition")).hasSize(3);
    }

    @Test
    void overwriteOfAPartitionTakesManyRowsAndTheLastOfAKey() throws Exception {
        createInPartitions("many_of_a_partition", true);
        run(
                "CREATE TEMPORARY TABLE sequence (i INT) WITH ('connector' = 'datagen', 'number-of-rows' = '%d', 'fields.i.kind' = 'sequence', 'fields.i.start' = '0', 'fields.i.end' = '%d')"
                        .formatted(MANY, MANY - 1));
        for (int round = 0; round < 2; round++) {
            run(
                    "INSERT OVERWRITE many_of_a_partition PARTITION (part = 'a') SELECT CAST(MOD(i, %d) AS BIGINT), MOD(i, %d) FROM sequence"
                            .formatted(MANY / 2, MANY / 2));
            List<List<Object>> found = rows("many_of_a_partition");
            assertThat(found).hasSize(MANY / 2 + 1).contains(List.of(3L, "b", 30));
        }
    }

    /** The changes of all shards of a table since it was opened. */
    private static final class ChangeLog implements AutoCloseable {
        private final SteleClient client;
        private final List<ShardChanges> shards = new ArrayList<>();

        private ChangeLog(SteleClient client) {
            this.client = client;
        }

        static ChangeLog after(String name) {
            ChangeLog log = new ChangeLog(sidecar.client());
            SteleTable table = log.client.table("shop", name);
            for (int shard = 0; shard < table.schema().shardCount(); shard++) {
                log.shards.add(table.changes(shard, ChangeOptions.DEFAULT));
            }
            return log;
        }

        /** Takes this number of changes, and looks for more. */
        List<Seen> take(int count) {
            List<Seen> seen = new ArrayList<>();
            await(
                    count + " changes",
                    () -> {
                        shards.forEach(
                                shard ->
                                        shard.poll(Duration.ZERO, each -> seen.add(Seen.of(each))));
                        return seen.size() >= count;
                    });
            return seen;
        }

        @Override
        public void close() {
            client.close();
        }
    }

    /** A change, whose object a feed uses again. */
    private record Seen(ChangeKind kind, Lsn lsn) {
        static Seen of(Change change) {
            return new Seen(change.kind(), change.lsn());
        }
    }

    @Test
    void deleteFindsItsRows() throws Exception {
        create("deleted", true, "");
        run("DELETE FROM deleted WHERE n >= 20 AND name <> 'c'");
        assertThat(rows("deleted"))
                .containsExactlyInAnyOrder(List.of(1L, "a", 10), List.of(3L, "c", 30));
        run("DELETE FROM deleted WHERE id IN (SELECT MAX(id) FROM deleted)");
        assertThat(rows("deleted")).containsExactly(List.of(1L, "a", 10));
        run("DELETE FROM deleted WHERE id = 77");
        assertThat(rows("deleted")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void deleteOfAllRowsReadsNone(boolean keyed) throws Exception {
        String table = "emptied_" + keyed;
        create(table, keyed, "");
        run("DELETE FROM " + table);
        assertThat(rows(table)).isEmpty();
    }

    @Test
    void deleteOfPartitionsNeedsNoKey() throws Exception {
        create("parts", false, " PARTITIONED BY (name)");
        run("DELETE FROM parts WHERE name = 'b'");
        assertThat(rows("parts"))
                .containsExactlyInAnyOrder(List.of(1L, "a", 10), List.of(3L, "c", 30));
        run("DELETE FROM parts WHERE name > 'b'");
        assertThat(rows("parts")).containsExactly(List.of(1L, "a", 10));
        assertThatThrownBy(() -> run("DELETE FROM parts WHERE name = 'a' AND n = 10"))
                .hasStackTraceContaining(
                        "Expected a table with a primary key for DELETE of single rows, found table shop.parts without one");
        assertThat(rows("parts")).hasSize(1);
    }

    @Test
    void updateChangesItsColumnsAndLeavesTheOthers() throws Exception {
        create("updated", true, "");
        run("UPDATE updated SET name = UPPER(name) WHERE n < 30");
        assertThat(rows("updated"))
                .containsExactlyInAnyOrder(
                        List.of(1L, "A", 10), List.of(2L, "B", 20), List.of(3L, "c", 30));
        run("UPDATE updated SET n = n + CAST(id AS INT), name = CAST(NULL AS STRING)");
        assertThat(rows("updated"))
                .containsExactlyInAnyOrder(
                        Arrays.asList(1L, null, 11),
                        Arrays.asList(2L, null, 22),
                        Arrays.asList(3L, null, 33));
        assertThat(query(tables, "SELECT n FROM updated WHERE id = 2")).containsExactly(Row.of(22));
        assertThatThrownBy(() -> run("UPDATE updated SET id = 9 WHERE id = 1"))
                .hasStackTraceContaining(
                        "Expected no primary key column in the SET clause of an UPDATE of table shop.updated, found 'id'");
        create("unkeyed", false, "");
        assertThatThrownBy(() -> run("UPDATE unkeyed SET n = 1"))
                .hasStackTraceContaining(
                        "Expected a table with a primary key for UPDATE, found table shop.unkeyed without one");
    }
}
