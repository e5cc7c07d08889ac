package io.stele.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.SteleClient;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.catalog.CreateViewRequest;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Views in Flink's catalog of a real sidecar: Flink's own, and those that others created. */
final class CatalogViewsIT extends BaseSidecarIT {
    /** As Trino's connector writes it. */
    private static final String OF_TRINO =
            """
            {"originalSql": "SELECT 1 a", "catalog": "stele", "schema": "shop",
             "columns": [{"name": "a", "type": "integer"}], "path": []}""";

    /** A session with a database of its own. */
    private static TableEnvironment session(String database) throws Exception {
        TableEnvironment tables = batch();
        tables.executeSql(
                "CREATE CATALOG s WITH ('type' = 'stele', %s)".formatted(sidecar.options()));
        tables.useCatalog("s");
        tables.executeSql("CREATE DATABASE IF NOT EXISTS " + database);
        tables.useDatabase(database);
        return tables;
    }

    private static void createOrders(TableEnvironment tables) throws Exception {
        tables.executeSql(
                "CREATE TABLE orders (id BIGINT, total DECIMAL(12, 2), PRIMARY KEY (id) NOT ENFORCED) WITH ('orientation' = 'row')");
        run(tables, "INSERT INTO orders VALUES (1, 1.50), (2, 20.00), (3, 30.00)");
    }

    @Test
    void viewsAreCreatedReadChangedAndDropped() throws Exception {
        TableEnvironment tables = session("own");
        createOrders(tables);
        tables.executeSql(
                """
                CREATE VIEW big (id, doubled) COMMENT 'orders of 10 and more'
                AS SELECT id, total * 2 FROM orders WHERE total >= 10""");
        tables.executeSql("CREATE VIEW IF NOT EXISTS big AS SELECT 1 AS n");
        tables.executeSql("CREATE VIEW largest AS SELECT MAX(doubled) AS most FROM big");
        assertThat(tables.listViews()).containsExactlyInAnyOrder("big", "largest");
        assertThat(tables.listTables()).containsExactlyInAnyOrder("orders", "big", "largest");
        assertThat(query(tables, "SELECT * FROM largest"))
                .containsExactly(Row.of(new BigDecimal("60.00")));
        sidecar.restart();
        TableEnvironment other = session("own");
        assertThat(query(other, "SELECT id FROM big ORDER BY id"))
                .containsExactly(Row.of(2L), Row.of(3L));
        assertThat(query(other, "SHOW CREATE VIEW big").get(0).toString())
                .contains("COMMENT 'orders of 10 and more'", "`orders`");
        assertThat(query(other, "DESCRIBE big").toString())
                .contains("id, BIGINT", "doubled, DECIMAL(");
        other.executeSql("ALTER VIEW big AS SELECT id, total FROM orders WHERE total > 20");
        assertThat(query(tables, "SELECT id FROM big")).containsExactly(Row.of(3L));
        other.executeSql("DROP VIEW largest");
        other.executeSql("ALTER VIEW big RENAME TO bigger");
        assertThat(tables.listViews()).containsExactly("bigger");
        assertThat(query(tables, "SELECT id FROM bigger")).containsExactly(Row.of(3L));
        assertThatThrownBy(() -> tables.executeSql("DROP TABLE bigger"))
                .hasStackTraceContaining("does not exist");
        tables.executeSql("DROP VIEW bigger");
        tables.executeSql("DROP VIEW IF EXISTS bigger");
        assertThat(tables.listTables()).containsExactly("orders");
    }

    @Test
    void aNameIsOfOneTableOrView() throws Exception {
        TableEnvironment tables = session("names");
        createOrders(tables);
        tables.executeSql("CREATE VIEW v AS SELECT id FROM orders");
        for (String statement :
                List.of(
                        "CREATE VIEW orders AS SELECT 1 AS n",
                        "CREATE VIEW v AS SELECT 1 AS n",
                        "CREATE TABLE v (id BIGINT)",
                        "ALTER VIEW v RENAME TO orders",
                        "ALTER TABLE orders RENAME TO v")) {
            assertThatThrownBy(() -> tables.executeSql(statement))
                    .as(statement)
                    .hasStackTraceContaining("exist");
        }
        assertThatThrownBy(() -> tables.executeSql("CREATE VIEW nowhere.v AS SELECT 1 AS n"))
                .hasStackTraceContaining("nowhere");
        assertThatThrownBy(() -> run(tables, "INSERT INTO v VALUES (1)"))
                .isInstanceOf(RuntimeException.class);
        tables.executeSql("CREATE TEMPORARY VIEW t AS SELECT id FROM v");
        assertThat(query(tables, "SELECT COUNT(*) FROM t")).containsExactly(Row.of(3L));
        session("elsewhere").executeSql("DROP DATABASE names CASCADE");
        assertThat(tables.listDatabases()).doesNotContain("names");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void viewsOfTrinoAreListedAndRefused(boolean materialized) throws Exception {
        String database = materialized ? "kept" : "trino";
        TableEnvironment tables = session(database);
        create(database, OF_TRINO, materialized);
        assertThat(tables.listViews()).containsExactly("theirs");
        assertThat(tables.listTables()).containsExactly("theirs");
        for (String statement :
                List.of(
                        "SELECT * FROM theirs",
                        "SHOW CREATE VIEW theirs",
                        "DESCRIBE theirs",
                        "DROP VIEW theirs",
                        "DROP TABLE theirs",
                        "ALTER VIEW theirs RENAME TO ours",
                        "ALTER VIEW theirs AS SELECT 1 AS n",
                        "CREATE VIEW IF NOT EXISTS theirs AS SELECT 1 AS n",
                        "CREATE TABLE IF NOT EXISTS theirs (id BIGINT)",
                        "INSERT INTO theirs VALUES (1)")) {
            assertThatThrownBy(() -> tables.executeSql(statement))
                    .as(statement)
                    .hasStackTraceContaining(
                            "Expected a view of Flink, found %s %s.theirs of trino, which only trino can read or change"
                                    .formatted(
                                            materialized ? "materialized view" : "view", database));
        }
        assertThatThrownBy(() -> tables.executeSql("CREATE VIEW theirs AS SELECT 1 AS n"))
                .hasStackTraceContaining("already exists");
        assertThat(tables.listViews()).containsExactly("theirs");
    }

    @Test
    void aDefinitionThatNobodyWroteIsNamed() throws Exception {
        TableEnvironment tables = session("damaged");
        create("damaged", "{\"dialect\": \"flink\"}", false);
        assertThatThrownBy(() -> tables.executeSql("SELECT * FROM theirs"))
                .hasStackTraceContaining("Expected the definition of view damaged.theirs as Flink");
    }

    /** Creates view {@code theirs}, as another client than Flink. */
    private static void create(String database, String definition, boolean materialized) {
        TableSchema storage =
                TableSchema.builder(database, "theirs")
                        .columns(List.of(new ColumnSchema(1, "a", DataType.parse("integer"))))
                        .orientation(Orientation.COLUMN)
                        .build();
        try (SteleClient client = sidecar.client()) {
            client.flight()
                    .action(
                            CatalogActions.CREATE_VIEW,
                            new CreateViewRequest(
                                    new TableName(database, "theirs"),
                                    definition,
                                    false,
                                    Optional.of(storage)
                                            .filter(schema -> materialized)
                                            .map(
                                                    schema ->
                                                            new CreateTableRequest(
                                                                    schema, "", false, false))));
        }
    }
}
