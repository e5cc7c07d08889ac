package io.stele.paimon;

import static io.trino.testing.TestingSession.testSessionBuilder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trino.server.PluginClassLoader;
import io.trino.spi.Plugin;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import java.io.File;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.options.Options;
import org.h2.Driver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A lake whose metastore is a database, by the plugin as Trino loads it: by a class loader of its
 * own, in which the driver's jar is.
 */
class PaimonJdbcIT {
    private static Plugin plugin() throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        ClassLoader loader =
                new PluginClassLoader(
                        "stele_paimon",
                        urls,
                        PaimonJdbcIT.class.getClassLoader(),
                        List.of(
                                "io.trino.spi.",
                                "com.fasterxml.jackson.annotation.",
                                "io.airlift.slice.",
                                "io.opentelemetry.api.",
                                "io.opentelemetry.context."),
                        List.of());
        Plugin plugin =
                (Plugin)
                        loader.loadClass(PaimonPlugin.class.getName())
                                .getConstructor()
                                .newInstance();
        assertThat(plugin.getClass()).isNotEqualTo(PaimonPlugin.class);
        return plugin;
    }

    private static String uri(Path folder) {
        // As Paimon looks for its tables by their names in lower case
        return "jdbc:h2:file:%s;AUTO_SERVER=TRUE;DATABASE_TO_LOWER=TRUE;CASE_INSENSITIVE_IDENTIFIERS=TRUE"
                .formatted(folder.resolve("metastore"));
    }

    @Test
    void aDriverInThePluginsFolderIsFound(@TempDir Path folder) throws Exception {
        Path warehouse = folder.resolve("lake");
        try (QueryRunner trino =
                DistributedQueryRunner.builder(
                                testSessionBuilder().setCatalog("lake").setSchema("d").build())
                        .build()) {
            trino.installPlugin(plugin());
            trino.createCatalog(
                    "lake",
                    "stele_paimon",
                    Map.of(
                            "stele.paimon.warehouse",
                            warehouse.toString(),
                            "stele.paimon.metastore",
                            "jdbc",
                            "stele.paimon.metastore.uri",
                            uri(folder),
                            "stele.paimon.metastore.user",
                            "sa",
                            "stele.paimon.metastore.password",
                            ""));
            trino.execute("CREATE SCHEMA d");
            trino.execute(
                    "CREATE TABLE t (id bigint, name varchar) WITH (primary_key = ARRAY['id'])");
            trino.execute("INSERT INTO t VALUES (1, 'one'), (2, 'two')");
            trino.execute("INSERT INTO t VALUES (2, 'TWO')");
            assertThat(Texts.rows(trino.execute("SELECT * FROM t")))
                    .containsExactlyInAnyOrder("[1, 'one']", "[2, 'TWO']");
            assertThat(trino.execute("SHOW TABLES").getOnlyColumnAsSet()).containsExactly("t");

            // Paimon's own catalog finds the same in the database
            Options options = new Options();
            options.set("metastore", "jdbc");
            options.set("uri", uri(folder));
            options.set("jdbc.user", "sa");
            options.set("jdbc.password", "");
            options.set("warehouse", warehouse.toString());
            assertThat(new Driver().acceptsURL(uri(folder))).isTrue();
            try (Catalog catalog = CatalogFactory.createCatalog(CatalogContext.create(options));
                    TestingLake lake = new TestingLake(catalog, folder)) {
                assertThat(TestingLake.rows(lake.table("d", "t")))
                        .containsExactlyInAnyOrder("[1, 'one']", "[2, 'TWO']");
            }

            trino.createCatalog(
                    "unknown",
                    "stele_paimon",
                    Map.of(
                            "stele.paimon.warehouse",
                            warehouse.toString(),
                            "stele.paimon.metastore",
                            "jdbc",
                            "stele.paimon.metastore.uri",
                            "jdbc:nodatabase://host/db?password=secret"));
            assertThatThrownBy(() -> trino.execute("SHOW SCHEMAS FROM unknown"))
                    .hasMessageContaining(
                            "Expected the jar of a JDBC driver for jdbc:nodatabase://host/db in the folder of the plugin")
                    .hasMessageContaining("org.h2.Driver")
                    .hasMessageNotContaining("secret");
        }
    }
}
