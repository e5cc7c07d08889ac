package io.stele.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.SteleClient;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TRUNCATE, INSERT OVERWRITE, DELETE and UPDATE of Flink on tables of a real sidecar. */
final class ChangeStatementsIT {
    private static final int MANY = 50_000;

    @TempDir private static Path directory;

    private static FlinkSidecar sidecar;

    private static TableEnvironment tables;

    @BeforeAll
    static void start() throws IOException {
        sidecar = FlinkSidecar.start(directory.resolve("sidecar"));
        tables = TableEnvironment.create(EnvironmentSettings.newInstance().inBatchMode().build());
        tables.getConfig().set("parallelism.default", "2");
        tables.executeSql(
                "CREATE CATALOG s WITH ('type' = 'stele', %s)".formatted(sidecar.options()));
        tables.useCatalog("s");
        tables.executeSql("CREATE DATABASE shop");
        tables.useDatabase("shop");
    }

    @AfterAll
    static void stop() {
        sidecar.close();
    }

    private static void run(String sql) throws Exception {
        tables.executeSql(sql).await();
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
    void overwriteIsForBoundedQueriesAndWholeTables() throws Exception {
        create("by_day", false, " PARTITIONED BY (name)");
        assertThatThrownBy(() -> run("INSERT OVERWRITE by_day VALUES (1, 'a', 1)"))
                .hasStackTraceContaining(
                        "Expected a table without partitions for INSERT OVERWRITE, found table shop.by_day partitioned by [name]");
        assertThat(rows("by_day")).hasSize(3);
        create("streamed", false, "");
        TableEnvironment streaming =
                TableEnvironment.create(
                        EnvironmentSettings.newInstance().inStreamingMode().build());
        streaming.executeSql(
                "CREATE CATALOG s WITH ('type' = 'stele', %s)".formatted(sidecar.options()));
        assertThatThrownBy(
                        () ->
                                streaming
                                        .executeSql(
                                                "INSERT OVERWRITE s.shop.streamed VALUES (1, 'a', 1)")
                                        .await())
                .hasStackTraceContaining("Expected a bounded query");
        createInGroup("grouped");
        assertThatThrownBy(() -> run("INSERT OVERWRITE grouped VALUES (1)"))
                .hasStackTraceContaining(
                        "Expected a table of the default table group to overwrite, found table shop.grouped");
    }

    private static void createInGroup(String name) {
        ColumnSchema id = new ColumnSchema(1, "id", DataType.parse("integer"));
        try (SteleClient client = sidecar.client()) {
            client.flight()
                    .action(
                            CatalogActions.CREATE_TABLE,
                            new CreateTableRequest(
                                    TableSchema.builder("shop", name)
                                            .columns(List.of(id))
                                            .shardCount(2)
                                            .build(),
                                    "a_group",
                                    false,
                                    false));
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
        try (CloseableIterator<Row> found =
                tables.executeSql("SELECT n FROM updated WHERE id = 2").collect()) {
            List<Row> rows = new ArrayList<>();
            found.forEachRemaining(rows::add);
            assertThat(rows).containsExactly(Row.of(22));
        }
        assertThatThrownBy(() -> run("UPDATE updated SET id = 9 WHERE id = 1"))
                .hasStackTraceContaining(
                        "Expected no primary key column in the SET clause of an UPDATE of table shop.updated, found 'id'");
        create("unkeyed", false, "");
        assertThatThrownBy(() -> run("UPDATE unkeyed SET n = 1"))
                .hasStackTraceContaining(
                        "Expected a table with a primary key for UPDATE, found table shop.unkeyed without one");
    }
}
