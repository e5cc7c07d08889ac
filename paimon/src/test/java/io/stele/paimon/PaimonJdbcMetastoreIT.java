package io.stele.paimon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trino.testing.QueryRunner;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.options.Options;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A lake whose databases and tables are in a relational database, which Paimon writes as well. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PaimonJdbcMetastoreIT {
    private Path warehouse;
    private TestingLake lake;
    private QueryRunner trino;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        warehouse = folder.resolve("lake");
        String uri = "jdbc:h2:file:" + folder.resolve("metastore") + ";DATABASE_TO_LOWER=TRUE";
        Options options = new Options();
        options.set("metastore", "jdbc");
        options.set("uri", uri);
        options.set("catalog-key", "lake");
        options.set("warehouse", warehouse.toString());
        options.set("cache-enabled", "false");
        lake =
                new TestingLake(
                        CatalogFactory.createCatalog(CatalogContext.create(options)), folder);
        trino = TestingTrino.over(warehouse, 0, catalog(uri));
    }

    private static Map<String, String> catalog(String uri) {
        return Map.of(
                "stele.paimon.metastore", "jdbc",
                "stele.paimon.metastore.uri", uri,
                "stele.paimon.metastore.catalog-key", "lake",
                "stele.paimon.snapshot.max-staleness", "0s");
    }

    @AfterAll
    void stop() throws Exception {
        trino.close();
        lake.catalog().close();
    }

    @Test
    void paimonReadsWhatTrinoWrites() throws Exception {
        trino.execute("CREATE SCHEMA written");
        trino.execute(
                "CREATE TABLE written.t (id bigint NOT NULL, name varchar) WITH (primary_key = ARRAY['id'], bucket = 1)");
        trino.execute("INSERT INTO written.t VALUES (1, 'one'), (2, 'two')");
        trino.execute("UPDATE written.t SET name = 'zwei' WHERE id = 2");
        assertThat(lake.catalog().listDatabases()).contains("written");
        assertThat(TestingLake.rows(lake.table("written", "t")))
                .containsExactlyInAnyOrder(
                        Texts.of(List.of(1L, "one")), Texts.of(List.of(2L, "zwei")));

        trino.execute("ALTER TABLE written.t ADD COLUMN note varchar");
        trino.execute("ALTER TABLE written.t RENAME TO written.u");
        assertThat(lake.catalog().listTables("written")).containsExactly("u");
        assertThat(lake.table("written", "u").rowType().getFieldNames())
                .containsExactly("id", "name", "note");
        trino.execute("DROP TABLE written.u");
        trino.execute("DROP SCHEMA written");
        assertThat(lake.catalog().listDatabases()).doesNotContain("written");
    }

    @Test
    void trinoReadsWhatPaimonWrites() throws Exception {
        FileStoreTable table =
                lake.create(
                        "d",
                        "t",
                        Schema.newBuilder()
                                .column("id", DataTypes.BIGINT().notNull())
                                .column("name", DataTypes.STRING())
                                .primaryKey("id")
                                .option("bucket", "1")
                                .build());
        lake.write(table, List.of(row(1, "one"), row(2, "two")), false);
        assertThat(trino.execute("SHOW TABLES").getOnlyColumnAsSet()).contains("t");
        assertThat(trino.execute("SELECT name FROM t WHERE id = 2").getOnlyValue())
                .isEqualTo("two");
        lake.write(table, List.of(row(2, "zwei")), false);
        assertThat(trino.execute("SELECT name FROM t WHERE id = 2").getOnlyValue())
                .isEqualTo("zwei");
        assertThat(trino.execute("SELECT count(*) FROM \"t$snapshots\"").getOnlyValue())
                .isEqualTo(2L);
    }

    private static GenericRow row(long id, String name) {
        return GenericRow.of(id, BinaryString.fromString(name));
    }

    @Test
    void aDatabaseWithoutADriverIsNamed() {
        createCatalog("driverless", "jdbc:nobody://host/db");
        assertThatThrownBy(() -> trino.execute("SHOW SCHEMAS FROM driverless"))
                .hasMessageContaining("Expected a JDBC driver for stele.paimon.metastore.uri")
                .hasMessageContaining("org.postgresql.Driver");
    }

    /** A node starts while the metastore is away, and asks again for each query. */
    @Test
    void aDatabaseThatIsAwayFailsQueriesAlone() {
        createCatalog("away", "jdbc:postgresql://127.0.0.1:1/lakes?connectTimeout=5");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> trino.execute("SHOW SCHEMAS FROM away"))
                    .hasMessageContaining("from the lake");
        }
    }

    private void createCatalog(String name, String uri) {
        trino.createCatalog(
                name,
                "stele_paimon",
                Map.of(
                        "stele.paimon.warehouse",
                        warehouse.toString(),
                        "stele.paimon.metastore",
                        "jdbc",
                        "stele.paimon.metastore.uri",
                        uri));
    }
}
