package io.stele.connector;

import static io.stele.connector.SameRows.assertSameRows;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.stele.testing.S3Server;
import io.stele.testing.VersityGateway;
import io.trino.Session;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedRow;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Data caches that nobody configured: of catalogs and sidecars without a key of the cache. Nodes
 * have a data directory as Trino's launcher gives them one, here all nodes of this JVM the same.
 */
@Timeout(1200)
final class SteleDefaultCacheIT {
    private static final String ROWS = "SELECT id, v, n FROM stele.s.columns";

    private static final long ROW_COUNT = 15_000;

    @RegisterExtension static final S3Server S3 = new S3Server();

    @TempDir private Path directory;
    private int warehouses;

    private SidecarFixture sidecarOnS3(Map<String, String> more) {
        return new SidecarFixture(
                directory.resolve("sidecar"),
                ImmutableMap.<String, String>builder()
                        .putAll(S3.gateway().properties())
                        .put(
                                "stele.warehouse.path",
                                "s3://%s/%s-%d"
                                        .formatted(
                                                VersityGateway.BUCKET,
                                                directory.getFileName(),
                                                warehouses++))
                        .putAll(more)
                        .buildOrThrow());
    }

    private static void createCatalog(
            DistributedQueryRunner runner,
            String name,
            SidecarFixture sidecar,
            Map<String, String> more) {
        runner.createCatalog(
                name,
                "stele",
                ImmutableMap.<String, String>builder()
                        .putAll(sidecar.catalogProperties())
                        .putAll(S3.gateway().properties())
                        .putAll(more)
                        // Nothing from memory, and nothing by the sidecar
                        .put("stele.scan.column-cache-size", "0B")
                        .put("stele.scan.tail-cache-size", "0B")
                        .put("stele.fragment-cache.enabled", "false")
                        .put("stele.write.direct-threshold", "0B")
                        .put("stele.aggregation-pushdown.enabled", "false")
                        .buildOrThrow());
    }

    /** The data directory of all nodes. */
    private Path node() {
        return directory.resolve("node");
    }

    private DistributedQueryRunner runner(
            int workers, SidecarFixture sidecar, Map<String, String> more) throws Exception {
        DistributedQueryRunner runner =
                SteleCluster.queryRunner(workers, Map.of(), new StelePlugin(node().toString()));
        try {
            createCatalog(runner, "stele", sidecar, more);
            return runner;
        } catch (Throwable e) {
            runner.close();
            throw e;
        }
    }

    private static void createTable(DistributedQueryRunner runner) {
        runner.execute("CREATE SCHEMA stele.s");
        runner.execute(
                "CREATE TABLE stele.s.columns (id bigint, v varchar, n double) WITH (primary_key = ARRAY['id'], shard_count = 2)");
        runner.execute(
                "INSERT INTO stele.s.columns SELECT orderkey, comment, totalprice FROM tpch.tiny.orders");
    }

    /** By a scan of the workers, and by a look-up of the sidecar whatever that costs. */
    private static void assertRows(DistributedQueryRunner runner) {
        assertSameRows(
                ROWS,
                runner.execute(ROWS).getMaterializedRows(),
                runner.execute("SELECT orderkey, comment, totalprice FROM tpch.tiny.orders")
                        .getMaterializedRows());
        Session lookingUp =
                Session.builder(runner.getDefaultSession())
                        .setCatalogSessionProperty("stele", "cost_based_lookups_enabled", "false")
                        .build();
        assertThat(
                        runner.execute(lookingUp, ROWS + " WHERE id IN (7, 32, 5000000)")
                                .getMaterializedRows())
                .hasSize(2);
    }

    /** Of the caches there are: process, whether they hold anything, directories that are out. */
    private static List<List<Object>> caches(DistributedQueryRunner runner) {
        return runner
                .execute(
                        "SELECT process, pages > 0, directories_out FROM stele.system.caches WHERE layer = 'data_pages' AND table_name IS NULL ORDER BY process")
                .getMaterializedRows()
                .stream()
                .map(MaterializedRow::getFields)
                .toList();
    }

    private static long fetched(DistributedQueryRunner runner, String process) {
        return (long)
                runner.execute(
                                "SELECT sum(fetched_bytes) FROM stele.system.caches WHERE layer = 'data_pages' AND process = '%s' AND table_name = 's.columns'"
                                        .formatted(process))
                        .getOnlyValue();
    }

    /** By an aggregation of the sidecar, whatever that costs. */
    private static long aggregated(DistributedQueryRunner runner, boolean byResults) {
        Session session =
                Session.builder(runner.getDefaultSession())
                        .setCatalogSessionProperty("stele", "aggregation_pushdown_enabled", "true")
                        .setCatalogSessionProperty(
                                "stele", "cost_based_aggregation_enabled", "false")
                        .setCatalogSessionProperty(
                                "stele", "fragment_cache_enabled", Boolean.toString(byResults))
                        .build();
        return (long)
                runner.execute(
                                session,
                                "SELECT count(n) + 0 * sum(id) FROM stele.s.columns WHERE n > 0")
                        .getOnlyValue();
    }

    /**
     * Of three starts of both: the first has in memory what it wrote, the second reads it from the
     * warehouse.
     */
    @Test
    void whatWasReadOnceIsReadFromDiskAfterARestart() throws Exception {
        try (SidecarFixture sidecar = sidecarOnS3(Map.of())) {
            for (int start = 0; start < 3; start++) {
                try (DistributedQueryRunner runner = runner(0, sidecar, Map.of())) {
                    if (start == 0) {
                        createTable(runner);
                    }
                    assertRows(runner);
                    assertThat(aggregated(runner, false)).isEqualTo(ROW_COUNT);
                    assertThat(caches(runner))
                            .containsExactly(
                                    List.of("sidecar", true, 0L), List.of("worker", true, 0L));
                    // What they fetch at the second start is metadata that was in memory before
                    for (String process : List.of("worker", "sidecar")) {
                        if (start != 1) {
                            assertThat(fetched(runner, process) > 0)
                                    .as("the %s fetches at start %d", process, start)
                                    .isEqualTo(start == 0);
                        }
                    }
                    assertThat(aggregated(runner, true)).isEqualTo(ROW_COUNT);
                    assertThat(resultsFound(runner) > 0)
                            .as("results outlive start %d", start)
                            .isEqualTo(start > 0);
                }
                sidecar.restart();
            }
        }
        assertThat(node().resolve("stele-cache/stele/pages")).isDirectory();
        assertThat(directory.resolve("sidecar/wal-cache/pages")).isDirectory();
    }

    private static long resultsFound(DistributedQueryRunner runner) {
        return (long)
                runner.execute(
                                "SELECT sum(hits) FROM stele.system.caches WHERE layer = 'fragments' AND process = 'sidecar' AND table_name = 's.columns'")
                        .getOnlyValue();
    }

    @Test
    void switchedOffThereIsNone() throws Exception {
        Map<String, String> off = Map.of("stele.cache.enabled", "false");
        try (SidecarFixture sidecar = sidecarOnS3(off);
                DistributedQueryRunner runner = runner(0, sidecar, off)) {
            createTable(runner);
            assertRows(runner);
            assertThat(SteleDataCacheIT.fetchedBytes(runner)).isPositive();
            assertThat(caches(runner)).isEmpty();
        }
        assertThat(node()).doesNotExist();
        assertThat(directory.resolve("sidecar/wal-cache")).doesNotExist();
    }

    @Test
    void aLocalWarehouseHasNone() throws Exception {
        try (SidecarFixture sidecar = new SidecarFixture(directory.resolve("sidecar"));
                DistributedQueryRunner runner = runner(0, sidecar, Map.of())) {
            createTable(runner);
            assertRows(runner);
            assertThat(caches(runner)).isEmpty();
        }
        assertThat(node()).doesNotExist();
        assertThat(directory.resolve("sidecar/wal-cache")).doesNotExist();
    }

    @Test
    void withoutAFolderQueriesGoOn() throws Exception {
        Files.createFile(node());
        Files.createDirectories(directory.resolve("sidecar"));
        Files.createFile(directory.resolve("sidecar/wal-cache"));
        try (SidecarFixture sidecar = sidecarOnS3(Map.of());
                DistributedQueryRunner runner = runner(0, sidecar, Map.of())) {
            createTable(runner);
            assertRows(runner);
            assertThat(SteleDataCacheIT.fetchedBytes(runner)).isPositive();
            assertThat(SteleDataCacheIT.fetchedBytes(runner)).isPositive();
            assertThat(caches(runner)).isEmpty();
        }
    }

    @Test
    void nodesAndCatalogsOfOneHostDoNotShareFolders() throws Exception {
        try (SidecarFixture sidecar = sidecarOnS3(Map.of());
                DistributedQueryRunner runner = runner(1, sidecar, Map.of())) {
            createTable(runner);
            createCatalog(runner, "again", sidecar, Map.of());
            assertRows(runner);
            for (String catalog : List.of("stele", "again")) {
                runner.execute("SELECT sum(n) FROM " + catalog + ".s.columns");
            }
            assertRows(runner);
            Path folder = node().resolve("stele-cache");
            // A node opens its cache with its first file, and which nodes write one is chance
            for (int i = 0; i < 40 && !Files.exists(folder.resolve("stele/pages-2")); i++) {
                runner.execute(
                        "CREATE TABLE stele.s.more%d WITH (shard_count = 8) AS SELECT orderkey, comment FROM tpch.tiny.orders"
                                .formatted(i));
                runner.execute("SELECT max(comment) FROM stele.s.more" + i);
            }
            try (var folders = Files.walk(folder, 2)) {
                assertThat(folders.map(path -> folder.relativize(path).toString()))
                        .contains("stele/pages", "stele/pages-2", "again/pages")
                        .doesNotContain("stele/pages-3", "again/pages-3");
            }
            assertThat(caches(runner))
                    .extracting(row -> row.get(0), row -> row.get(2))
                    .hasSize(3)
                    .allMatch(row -> row.toList().get(1).equals(0L));
        }
    }
}
