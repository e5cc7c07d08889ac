package io.stele.connector;

import static io.stele.connector.SteleQueries.newTable;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.client.SteleClient;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateViewRequest;
import io.stele.protocol.api.catalog.TableName;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.testing.MaterializedResult;
import io.trino.testing.TransactionBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Views and materialized views beyond what Trino's own test asks of them. */
@ExtendWith(SteleCluster.Shared.class)
final class SteleViewsIT {
    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleViewsIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    @Test
    void viewsSurviveTheSidecar() {
        SidecarFixture sidecar = cluster.newSidecar("views", Map.of());
        queries.run("CREATE TABLE views.s.t AS SELECT 1 a, 'x' b");
        queries.run(
                "CREATE VIEW views.s.v COMMENT 'kept' SECURITY INVOKER AS SELECT a FROM views.s.t");
        queries.run(
                "CREATE MATERIALIZED VIEW views.s.m AS SELECT b, count(*) c FROM views.s.t GROUP BY b");
        queries.run("REFRESH MATERIALIZED VIEW views.s.m");
        sidecar.restart();
        assertThat(queries.value("SELECT a FROM views.s.v")).isEqualTo(1);
        assertThat((String) queries.value("SHOW CREATE VIEW views.s.v"))
                .contains("COMMENT 'kept'", "SECURITY INVOKER");
        assertThat(freshness("views", "m")).isEqualTo("FRESH");
        assertThat(queries.value("SELECT c FROM views.s.m")).isEqualTo(1L);
        queries.run("ALTER SCHEMA views.s RENAME TO z");
        sidecar.restart();
        assertThat(queries.column("SHOW TABLES FROM views.z"))
                .containsExactlyInAnyOrder("m", "t", "v");
        queries.run("DROP SCHEMA views.z CASCADE");
    }

    @Test
    void freshnessFollowsTheBaseTables() {
        String table = newTable("base");
        String other = newTable("base");
        String view = newTable("mv");
        queries.run(
                "CREATE TABLE stele.s.%s (id bigint, v varchar) WITH (primary_key = ARRAY['id'])"
                        .formatted(table));
        queries.run("CREATE TABLE stele.s.%s (id bigint)".formatted(other));
        queries.run("INSERT INTO stele.s.%s VALUES (1, 'a'), (2, 'b')".formatted(table));
        queries.run(
                "CREATE MATERIALIZED VIEW stele.s.%s AS SELECT count(*) c, max(v) v FROM stele.s.%s"
                        .formatted(view, table));
        assertThat(freshness("stele", view)).isEqualTo("STALE");
        refresh(view);
        queries.run("INSERT INTO stele.s.%s VALUES 1".formatted(other));
        cluster.sidecar().flush("s", table);
        cluster.sidecar().compact("s", table);
        queries.run("COMMENT ON TABLE stele.s.%s IS 'no change'".formatted(table));
        assertThat(freshness("stele", view))
                .as("nothing changed in the base table")
                .isEqualTo("FRESH");
        for (String change :
                List.of(
                        "INSERT INTO stele.s.%s VALUES (3, 'c')",
                        "UPDATE stele.s.%s SET v = 'z' WHERE id = 1",
                        "DELETE FROM stele.s.%s WHERE id = 2",
                        "ALTER TABLE stele.s.%s ADD COLUMN w bigint",
                        "DELETE FROM stele.s.%s",
                        "TRUNCATE TABLE stele.s.%s",
                        "CREATE OR REPLACE TABLE stele.s.%s AS SELECT 9 id, 'q' v")) {
            queries.run(change.formatted(table));
            assertThat(freshness("stele", view)).as(change).isEqualTo("STALE");
            refresh(view);
            assertThat(freshness("stele", view)).as(change).isEqualTo("FRESH");
        }
        queries.assertSame("TABLE stele.s." + view, "VALUES (BIGINT '1', VARCHAR 'q')");
        queries.run("DROP TABLE stele.s." + table);
        assertThat(freshness("stele", view)).isEqualTo("STALE");
    }

    @Test
    void whatNobodyKnowsIsNotFresh() {
        String table = newTable("expiring");
        String view = newTable("mv");
        queries.run(
                "CREATE TABLE stele.s.%s (id bigint) WITH (time_to_live = '1d')".formatted(table));
        for (String query :
                List.of(
                        "SELECT count(*) c FROM stele.s." + table,
                        "SELECT count(*) c FROM tpch.tiny.region",
                        "SELECT random() c")) {
            queries.run(
                    "CREATE OR REPLACE MATERIALIZED VIEW stele.s.%s AS %s".formatted(view, query));
            refresh(view);
            assertThat(freshness("stele", view)).as(query).isEqualTo("UNKNOWN");
        }
    }

    /** A transaction sees one state of the view while refreshes come. */
    @Test
    void readersKeepTheRowsOfBefore() {
        String table = newTable("base");
        String view = newTable("mv");
        queries.run("CREATE TABLE stele.s.%s AS SELECT * FROM tpch.tiny.nation".formatted(table));
        queries.run(
                "CREATE MATERIALIZED VIEW stele.s.%s AS SELECT nationkey, name FROM stele.s.%s"
                        .formatted(view, table));
        refresh(view);
        var session = cluster.runner().getDefaultSession();
        var runner = cluster.runner();
        TransactionBuilder.transaction(
                        runner.getTransactionManager(),
                        runner.getPlannerContext().getMetadata(),
                        runner.getAccessControl())
                .readOnly()
                .execute(
                        session,
                        transaction -> {
                            String sql = "SELECT count(*) FROM stele.s." + view;
                            assertThat(runner.execute(transaction, sql).getOnlyValue())
                                    .isEqualTo(25L);
                            queries.run(
                                    "INSERT INTO stele.s.%1$s SELECT * FROM stele.s.%1$s"
                                            .formatted(table));
                            refresh(view);
                            MaterializedResult again = runner.execute(transaction, sql);
                            assertThat(again.getOnlyValue()).isEqualTo(25L);
                        });
        assertThat(queries.count("SELECT count(*) FROM stele.s." + view)).isEqualTo(50);
    }

    @Test
    void largeRefreshesGoIntoFiles() {
        String view = newTable("mv");
        cluster.newSidecar("direct", Map.of("stele.write.direct-threshold", "1kB"));
        queries.run(
                "CREATE MATERIALIZED VIEW direct.s.%s WITH (clustering_key = ARRAY['orderkey'], shard_count = 2, compression = 'zstd') AS SELECT orderkey, totalprice FROM tpch.tiny.orders"
                        .formatted(view));
        for (int round = 0; round < 2; round++) {
            assertThat(queries.update("REFRESH MATERIALIZED VIEW direct.s." + view))
                    .isEqualTo(15_000);
            queries.assertSame(
                    "SELECT count(*), sum(orderkey) FROM direct.s." + view,
                    "SELECT count(*), sum(orderkey) FROM tpch.tiny.orders");
        }
        assertThat((String) queries.value("SHOW CREATE MATERIALIZED VIEW direct.s." + view))
                .contains(
                        "clustering_key = ARRAY['orderkey']",
                        "shard_count = 2",
                        "compression = 'zstd'");
        queries.run(
                "ALTER MATERIALIZED VIEW direct.s.%s SET PROPERTIES retention = '2h'"
                        .formatted(view));
        assertThat((String) queries.value("SHOW CREATE MATERIALIZED VIEW direct.s." + view))
                .contains("retention = '2.00h'");
    }

    @Test
    void storageTablesAreNobodysElse() {
        String view = newTable("mv");
        queries.run("CREATE MATERIALIZED VIEW stele.s.%s AS SELECT 1 a".formatted(view));
        refresh(view);
        String storage =
                (String)
                        queries.value(
                                "SELECT storage_table FROM system.metadata.materialized_views WHERE catalog_name = 'stele' AND name = '%s'"
                                        .formatted(view));
        assertThat(storage).matches("storage\\$[0-9]+");
        assertThat(queries.column("SHOW TABLES FROM stele.s")).doesNotContain(storage);
        for (String statement :
                List.of(
                        "INSERT INTO %s VALUES 2",
                        "UPDATE %s SET a = 2",
                        "DELETE FROM %s",
                        "DELETE FROM %s WHERE a = 1",
                        "TRUNCATE TABLE %s",
                        "DROP TABLE %s",
                        "ALTER TABLE %s RENAME TO stele.s.mine",
                        "ALTER TABLE %s ADD COLUMN b bigint",
                        "COMMENT ON TABLE %s IS 'x'")) {
            assertFails(
                    NOT_SUPPORTED,
                    "Expected a table to change, found s."
                            + storage.replace("$", "\\$")
                            + ", which .*",
                    statement.formatted("stele.s.\"" + storage + "\""));
        }
        assertThat(queries.value("SELECT a FROM stele.s." + view)).isEqualTo(1);
    }

    @Test
    void viewsThatCannotBeAreNamed() {
        String view = newTable("mv");
        assertFails(
                NOT_SUPPORTED,
                "Stele cannot store type time\\(3\\) with time zone of column 'a'",
                "CREATE MATERIALIZED VIEW stele.s.%s AS SELECT CAST(localtime AS time(3) with time zone) a"
                        .formatted(view));
        queries.run("CREATE MATERIALIZED VIEW stele.s.%s AS SELECT 1 a".formatted(view));
        assertThat(
                        queries.failure(
                                "ALTER MATERIALIZED VIEW stele.s.%s SET PROPERTIES shard_count = 2"
                                        .formatted(view)))
                .hasMessageContaining("shard_count");
        assertThat(
                        queries.failure(
                                "CREATE MATERIALIZED VIEW stele.s.%s_2 WITH (primary_key = ARRAY['a']) AS SELECT 1 a"
                                        .formatted(view)))
                .hasMessageContaining("primary_key");
        assertThat(
                        queries.failure(
                                "CREATE OR REPLACE VIEW stele.s.%s AS SELECT 1 a".formatted(view)))
                .hasMessageContaining(view);
        assertThat(
                        queries.failure(
                                "CREATE OR REPLACE TABLE stele.s.%s AS SELECT 1 a".formatted(view)))
                .hasMessageContaining(view);
    }

    /** A view of Flink has a definition that Trino cannot run; it hides no other relation. */
    @Test
    void viewsOfOtherSystemsAreListedAndRefused() {
        String own = newTable("own");
        String view = newTable("flinks");
        queries.run("CREATE SCHEMA stele." + view);
        queries.run("CREATE VIEW stele.%s.%s COMMENT 'seen' AS SELECT 1 a".formatted(view, own));
        createView(
                new TableName(view, view),
                """
                {"dialect": "flink", "originalSql": "SELECT 1 AS a", "expandedSql": "SELECT 1 AS a",
                 "columns": [{"name": "a", "type": "INT NOT NULL"}], "options": {}}""");
        assertThat(queries.column("SHOW TABLES FROM stele." + view))
                .containsExactlyInAnyOrder(own, view);
        assertThat(
                        queries.column(
                                "SELECT table_type FROM stele.information_schema.tables WHERE table_schema = '%s'"
                                        .formatted(view)))
                .containsExactly("VIEW", "VIEW");
        for (String listing :
                List.of(
                        "SELECT table_name FROM stele.information_schema.views WHERE table_schema = '%s'",
                        "SELECT table_name FROM stele.information_schema.columns WHERE table_schema = '%s'",
                        "SELECT table_name FROM system.metadata.table_comments WHERE catalog_name = 'stele' AND schema_name = '%s' AND comment = 'seen'")) {
            assertThat(queries.column(listing.formatted(view))).as(listing).containsExactly(own);
        }
        for (String statement :
                List.of(
                        "TABLE %s",
                        "SHOW CREATE VIEW %s",
                        "DROP VIEW %s",
                        "ALTER VIEW %s RENAME TO stele.s.mine",
                        "COMMENT ON VIEW %s IS 'x'",
                        "CREATE OR REPLACE VIEW %s AS SELECT 1 a")) {
            assertFails(
                    NOT_SUPPORTED,
                    ".*Expected a view of Trino, found view '%s.%s' of flink, .*"
                            .formatted(view, view),
                    statement.formatted("stele." + view + "." + view));
        }
        queries.run("DROP SCHEMA stele.%s CASCADE".formatted(view));
    }

    private void createView(TableName name, String definition) {
        try (SteleClient client = cluster.sidecar().client()) {
            client.flight()
                    .action(
                            CatalogActions.CREATE_VIEW,
                            new CreateViewRequest(name, definition, false, Optional.empty()));
        }
    }

    private void refresh(String view) {
        queries.run("REFRESH MATERIALIZED VIEW stele.s." + view);
    }

    private Object freshness(String catalog, String view) {
        return queries.value(
                "SELECT freshness FROM system.metadata.materialized_views WHERE catalog_name = '%s' AND name = '%s'"
                        .formatted(catalog, view));
    }

    private void assertFails(ErrorCodeSupplier code, String message, String sql) {
        assertTrinoExceptionThrownBy(() -> queries.run(sql))
                .hasErrorCode(code)
                .hasMessageMatching(message);
    }
}
