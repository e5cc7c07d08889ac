package io.stele.connector;

import static io.trino.testing.TestingSession.testSessionBuilder;
import static io.trino.testing.assertions.Assert.assertEventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.airlift.units.Duration;
import io.stele.testing.S3Server;
import io.stele.testing.VersityGateway;
import io.trino.node.NodeState;
import io.trino.plugin.tpch.TpchPlugin;
import io.trino.server.testing.TestingTrinoServer;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedRow;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A coordinator that does not work and three workers, each with a data cache of its own, over a
 * warehouse on S3: which worker reads which file, and what it caches.
 */
@Timeout(1200)
final class SteleSeveralWorkersIT {
    private static final int WORKERS = 3;

    /** Of a table; each shard has one file. */
    private static final int FILES = 48;

    /** A catalog whose workers also cache filtered rows and footers. */
    private static final String WARMED = "warmed";

    @RegisterExtension static final S3Server S3 = new S3Server();

    @TempDir private static Path directory;
    private static SidecarFixture sidecar;
    private static DistributedQueryRunner runner;

    @BeforeAll
    static void start() throws Exception {
        sidecar =
                new SidecarFixture(
                        directory.resolve("sidecar"),
                        ImmutableMap.<String, String>builder()
                                .putAll(S3.gateway().properties())
                                .put(
                                        "stele.warehouse.path",
                                        "s3://%s/workers".formatted(VersityGateway.BUCKET))
                                .buildOrThrow());
        runner =
                DistributedQueryRunner.builder(
                                testSessionBuilder().setCatalog("stele").setSchema("s").build())
                        .setWorkerCount(WORKERS)
                        .addCoordinatorProperty("node-scheduler.include-coordinator", "false")
                        .build();
        runner.installPlugin(new TpchPlugin());
        runner.createCatalog("tpch", "tpch");
        // All nodes of this host have one data directory, and a folder of their own inside it
        runner.installPlugin(new StelePlugin(directory.resolve("node").toString()));
        createCatalog("stele", Map.of("stele.scan.tail-cache-size", "0B"));
        createCatalog(
                WARMED,
                Map.of(
                        "stele.fragment-cache.enabled",
                        "true",
                        "stele.aggregation-pushdown.enabled",
                        "true"));
        runner.execute("CREATE SCHEMA stele.s");
        SteleCluster.awaitNodes(runner, WORKERS);
    }

    @AfterAll
    static void stop() {
        if (runner != null) {
            runner.close();
        }
        if (sidecar != null) {
            sidecar.close();
        }
    }

    private static void createCatalog(String name, Map<String, String> more) {
        runner.createCatalog(
                name,
                "stele",
                ImmutableMap.<String, String>builder()
                        .putAll(sidecar.catalogProperties())
                        .putAll(S3.gateway().properties())
                        .put("stele.cache.page-size", "64kB")
                        .put("stele.cache.max-sizes", "64MB")
                        // Nothing from memory, and nothing by the sidecar
                        .put("stele.scan.column-cache-size", "0B")
                        .put("stele.fragment-cache.enabled", "false")
                        .put("stele.aggregation-pushdown.enabled", "false")
                        .put("stele.write.direct-threshold", "0B")
                        // Several stripes and splits in files of some MB
                        .put("stele.write.max-open-size", "1MB")
                        .put("stele.scan.max-split-size", "1MB")
                        .putAll(more)
                        .buildKeepingLast());
    }

    private static void createTable(String name) {
        runner.execute(
                "CREATE TABLE stele.s.%s (id bigint, v varchar, n double) WITH (primary_key = ARRAY['id'], shard_count = %d)"
                        .formatted(name, FILES));
        runner.execute(
                "INSERT INTO stele.s.%s SELECT orderkey, comment, totalprice FROM tpch.tiny.orders"
                        .formatted(name));
        assertThat(files(name)).isEqualTo(FILES);
    }

    /** The number of a table's files, of which nothing is read for it. */
    private static long files(String table) {
        return (long)
                runner.execute(
                                "SELECT count(*) FROM stele.s.\"%s$files\" WHERE index_name IS NULL"
                                        .formatted(table))
                        .getOnlyValue();
    }

    /** What workers read of a table through their data caches, since they started. */
    private record Reads(long fetchedBytes, long hits, long misses, long unkeptPages) {
        static final Reads NONE = new Reads(0, 0, 0, 0);

        Reads since(Reads before) {
            return new Reads(
                    fetchedBytes - before.fetchedBytes,
                    hits - before.hits,
                    misses - before.misses,
                    unkeptPages - before.unkeptPages);
        }

        double hitRate() {
            return (double) hits / (hits + misses);
        }
    }

    /** By node. */
    private static Map<String, Reads> reads(String catalog, String table) {
        Map<String, Reads> reads = new HashMap<>();
        for (MaterializedRow row :
                runner.execute(
                                "SELECT node, fetched_bytes, page_hits, page_misses, unkept_pages FROM %s.system.caches WHERE layer = 'data_pages' AND process = 'worker' AND table_name = 's.%s'"
                                        .formatted(catalog, table))
                        .getMaterializedRows()) {
            reads.put(
                    (String) row.getField(0),
                    new Reads(
                            (long) row.getField(1),
                            (long) row.getField(2),
                            (long) row.getField(3),
                            (long) row.getField(4)));
        }
        return reads;
    }

    /** The reads of one scan, by node; nodes that are not active are left out. */
    private static Map<String, Reads> scan(String catalog, String table) {
        Map<String, Reads> before = reads(catalog, table);
        assertThat(
                        runner.execute(
                                        "SELECT count(*), count(DISTINCT v) > 1, sum(n) > 0 FROM %s.s.%s WHERE id > 0"
                                                .formatted(catalog, table))
                                .getMaterializedRows())
                .hasSize(1);
        Map<String, Reads> scanned = new HashMap<>();
        reads(catalog, table)
                .forEach(
                        (node, after) ->
                                scanned.put(
                                        node, after.since(before.getOrDefault(node, Reads.NONE))));
        return scanned;
    }

    /** The reads of the first scan that fetches nothing: pages are written beside the scans. */
    private static Map<String, Reads> scanOfCache(String catalog, String table) {
        Map<String, Reads> last = Map.of();
        for (int attempt = 0; attempt < 100; attempt++) {
            last = scan(catalog, table);
            // A page that was fetched just now is not yet written, and counts as a miss
            if (fetchedBytes(last) == 0
                    && last.values().stream().allMatch(reads -> reads.misses() == 0)) {
                return last;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
        throw new AssertionError("Expected a scan that fetches nothing, found " + last);
    }

    private static long fetchedBytes(Map<String, Reads> reads) {
        return reads.values().stream().mapToLong(Reads::fetchedBytes).sum();
    }

    @Test
    void aSecondScanFindsEachFileOnTheWorkerThatHasIt() {
        createTable("twice");
        Map<String, Reads> first = scan("stele", "twice");
        assertThat(first).hasSize(WORKERS);
        long mean = fetchedBytes(first) / WORKERS;
        assertThat(mean).isPositive();
        assertThat(first.values())
                .allSatisfy(
                        reads -> {
                            assertThat(reads.fetchedBytes()).isBetween(mean * 2 / 5, mean * 8 / 5);
                            // Each was the first choice for what it read
                            assertThat(reads.unkeptPages()).isZero();
                        });
        Map<String, Reads> second = scanOfCache("stele", "twice");
        assertThat(second).hasSize(WORKERS);
        assertThat(second.values())
                .allSatisfy(
                        reads -> {
                            assertThat(reads.fetchedBytes()).isZero();
                            assertThat(reads.hitRate()).isEqualTo(1.0);
                        });
    }

    /** The engine sends buckets to the same workers each time, and these cache what they read. */
    @Test
    void aSecondScanByShardFindsTheFilesOfItsBuckets() {
        createTable("sharded");
        String sql =
                "SELECT count(*), sum(m) FROM (SELECT id, max(n) AS m FROM stele.s.sharded GROUP BY id)";
        assertThat((String) runner.execute("EXPLAIN " + sql).getOnlyValue())
                .contains("stele:shard[%d]".formatted(FILES));
        runner.execute(sql);
        Map<String, Reads> first = reads("stele", "sharded");
        assertThat(first.values()).allMatch(reads -> reads.unkeptPages() == 0);
        assertThat(fetchedBytes(first)).isPositive();
        assertEventually(
                new Duration(3, TimeUnit.MINUTES),
                () -> {
                    long before = fetchedBytes(reads("stele", "sharded"));
                    runner.execute(sql);
                    assertThat(fetchedBytes(reads("stele", "sharded"))).isEqualTo(before);
                });
    }

    /** A worker that is drained is in no plan, and its caches stay. */
    @Test
    void aWorkerThatLeavesMovesOnlyItsFilesAndFindsThemWhenItReturns() {
        createTable("moving");
        Map<String, Reads> cold = scan("stele", "moving");
        assertThat(cold.values()).allMatch(reads -> reads.fetchedBytes() > 0);
        Map<String, Reads> unused = scanOfCache("stele", "moving");
        TestingTrinoServer leaving =
                runner.getServers().stream()
                        .filter(server -> !server.isCoordinator())
                        .findFirst()
                        .orElseThrow();
        String node = leaving.getCurrentNode().getNodeIdentifier();
        leaving.getNodeStateManager().transitionState(NodeState.DRAINING);
        try {
            SteleCluster.awaitNodes(runner, WORKERS - 1);
            Map<String, Reads> without = scan("stele", "moving");
            assertThat(without).hasSize(WORKERS - 1).doesNotContainKey(node);
            long moved = fetchedBytes(without);
            long all = fetchedBytes(cold);
            assertThat(moved)
                    .as("bytes of moved files, of which %s has %s of %s", node, cold.get(node), all)
                    .isBetween(
                            cold.get(node).fetchedBytes() * 9 / 10, // less the ends read once
                            cold.get(node).fetchedBytes() + all / 6);
            assertThat(without.values())
                    .allSatisfy(reads -> assertThat(reads.fetchedBytes()).isPositive());
            assertThat(without.values()).allMatch(reads -> reads.unkeptPages() == 0);
            unused = scanOfCache("stele", "moving");
        } finally {
            leaving.getNodeStateManager().transitionState(NodeState.ACTIVE);
            SteleCluster.awaitNodes(runner, WORKERS);
        }
        Map<String, Reads> again = scan("stele", "moving");
        assertThat(again).hasSize(WORKERS);
        assertThat(fetchedBytes(again)).isZero();
        assertThat(again.get(node).hits()).isPositive();
    }

    /** Pages, footers and filtered rows, each on the worker that reads the file later. */
    @Test
    void warmFillsTheCachesOfTheWorkersThatWillRead() {
        createTable("warm");
        runner.execute(
                "ALTER TABLE warmed.s.warm EXECUTE warm(columns => ARRAY['id', 'v']) WHERE n < 30000");
        Map<String, Reads> before = reads(WARMED, "warm");
        assertThat(before).hasSize(WORKERS);
        assertThat(before.values()).allMatch(reads -> reads.fetchedBytes() > 0);
        String same =
                (String)
                        runner.execute(
                                        "EXPLAIN ANALYZE VERBOSE SELECT id, v FROM warmed.s.warm WHERE n < 30000")
                                .getOnlyValue();
        assertThat(same)
                .contains("'Cached results found' = LongCount{total=%d}".formatted(FILES))
                .doesNotContain("'Cached results computed' = LongCount{total=1");
        long footers = footersRead();
        assertThat(
                        runner.execute("SELECT v FROM warmed.s.warm WHERE n < 20000")
                                .getMaterializedRows())
                .isNotEmpty();
        assertThat(footersRead()).isEqualTo(footers);
        Map<String, Reads> after = reads(WARMED, "warm");
        assertThat(after).hasSize(WORKERS);
        after.forEach(
                (node, reads) ->
                        assertThat(reads.since(before.get(node)).fetchedBytes())
                                .as("fetched by %s", node)
                                .isZero());
    }

    /** How often workers did not have file metadata in memory. */
    private static long footersRead() {
        return (long)
                runner.execute(
                                "SELECT sum(misses) FROM warmed.system.caches WHERE layer = 'footers' AND table_name = 's.warm'")
                        .getOnlyValue();
    }
}
