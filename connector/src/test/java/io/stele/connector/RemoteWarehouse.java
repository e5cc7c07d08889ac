package io.stele.connector;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A table in a warehouse that is not a folder: made by Trino's workers, changed, flushed, compacted
 * and restarted, and after each step it has the rows that TPC-H says.
 */
final class RemoteWarehouse {
    /** 32 bytes of a test. */
    private static final String KEY = "b25seSBvbmx5IG9ubHkgb25seSBvbmx5IG9ubHkgb24=";

    private final SteleCluster cluster;
    private final SteleQueries queries;
    private final String catalog;

    /** What is in the warehouse, as it is stored there. */
    interface Objects {
        List<String> list() throws IOException;

        byte[] read(String path) throws IOException;
    }

    /**
     * @param catalog a name for it
     */
    RemoteWarehouse(SteleCluster cluster, String catalog) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
        this.catalog = catalog;
    }

    /**
     * @param location what {@code stele.warehouse.path} says
     * @param properties how both sides reach it
     * @param objects of the same place
     */
    void hasTheRowsOfTpch(String location, Map<String, String> properties, Objects objects)
            throws Exception {
        run(location, properties, objects, Map.of());
        assertThat(withText(objects, ".orc")).as("files with text of rows").isNotEmpty();
    }

    /**
     * The same with files and log encrypted: the log is in the store, too.
     *
     * @param logLocation what {@code stele.wal.path} says
     * @param objects of both places
     */
    void hidesTheRowsOfTpch(
            String location, String logLocation, Map<String, String> properties, Objects objects)
            throws Exception {
        Map<String, String> encrypted =
                ImmutableMap.<String, String>builder()
                        .putAll(properties)
                        .put("stele.encryption.master-keys", "only:" + KEY)
                        .put("stele.encryption.refuse-plain", "true")
                        .buildOrThrow();
        run(location, encrypted, objects, Map.of("stele.wal.path", logLocation));
        assertThat(objects.list())
                .as("log and files")
                .anyMatch(path -> path.contains("/log/") || path.endsWith(".wal"))
                .anyMatch(path -> path.endsWith(".orc"));
        assertThat(withText(objects, "")).as("objects with text of rows").isEmpty();
    }

    private static List<String> withText(Objects objects, String ending) throws IOException {
        List<String> found = new ArrayList<>();
        for (String path : objects.list()) {
            if (path.endsWith(ending)
                    && new String(objects.read(path), ISO_8859_1).contains("Clerk#0000")) {
                found.add(path);
            }
        }
        return found;
    }

    private void run(
            String location,
            Map<String, String> properties,
            Objects objects,
            Map<String, String> moreOfSidecar)
            throws Exception {
        Map<String, String> ofCatalog =
                ImmutableMap.<String, String>builder()
                        .putAll(properties)
                        // Everything by files of workers; the sidecar writes those of UPDATE
                        .put("stele.write.direct-threshold", "0B")
                        .buildOrThrow();
        Map<String, String> ofSidecar =
                ImmutableMap.<String, String>builder()
                        .putAll(properties)
                        .put("stele.warehouse.path", location)
                        .putAll(moreOfSidecar)
                        .buildOrThrow();
        try (SidecarFixture own = cluster.newSidecar(catalog, ofCatalog, ofSidecar)) {
            queries.run(
                    """
                    CREATE TABLE %s.s.orders WITH (primary_key = ARRAY['orderkey'], compression = 'none')
                    AS SELECT * FROM tpch.tiny.orders WHERE orderkey %% 2 = 0
                    """
                            .formatted(catalog));
            assertThat(objects.list())
                    .as("files of workers")
                    .anyMatch(path -> path.endsWith(".orc"));
            queries.run(
                    "INSERT INTO %s.s.orders SELECT * FROM tpch.tiny.orders WHERE orderkey %% 2 = 1"
                            .formatted(catalog));
            assertOrders("0");

            long open =
                    queries.count("SELECT count(*) FROM tpch.tiny.orders WHERE orderstatus = 'O'");
            assertThat(
                            queries.update(
                                    "UPDATE %s.s.orders SET totalprice = totalprice + 1 WHERE orderstatus = 'O'"
                                            .formatted(catalog)))
                    .isEqualTo(open);
            String raised = "IF(orderstatus = 'O', 1, 0)";
            assertOrders(raised);
            own.flush("s", "orders");
            assertOrders(raised);
            // Which of them a worker reads that did not write them itself is chance
            assertThat(ofFreshFooters("entries"))
                    .as("files whose metadata workers left with the sidecar")
                    .isGreaterThan(1);
            long before = ofFreshFooters("hits");
            own.compact("s", "orders");
            assertOrders(raised);
            assertThat(ofFreshFooters("hits"))
                    .as("files whose metadata the sidecar gave away from its memory")
                    .isGreaterThan(before);

            own.restart();
            assertOrders(raised);
            assertThat(
                            queries.value(
                                    "SELECT clerk FROM %s.s.orders WHERE orderkey = 7"
                                            .formatted(catalog)))
                    .isEqualTo(
                            queries.value("SELECT clerk FROM tpch.tiny.orders WHERE orderkey = 7"));
            queries.run("DROP TABLE %s.s.orders".formatted(catalog));
        } finally {
            queries.run("DROP CATALOG " + catalog);
        }
    }

    private long ofFreshFooters(String column) {
        return queries.count(
                "SELECT sum(%s) FROM %s.system.caches WHERE layer = 'fresh_footers'"
                        .formatted(column, catalog));
    }

    private void assertOrders(String raise) {
        queries.assertSame(
                "SELECT orderkey, custkey, orderstatus, totalprice, orderdate, comment FROM %s.s.orders"
                        .formatted(catalog),
                "SELECT orderkey, custkey, orderstatus, totalprice + %s, orderdate, comment FROM tpch.tiny.orders"
                        .formatted(raise));
    }
}
