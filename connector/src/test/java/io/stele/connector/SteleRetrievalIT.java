package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.common.collect.ImmutableMap;
import io.stele.testing.S3Server;
import io.stele.testing.VersityGateway;
import io.trino.Session;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedRow;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The requests and bytes that EXPLAIN ANALYZE VERBOSE and {@code system.retrieval} show, whichever
 * process reads, on S3 and without data caches.
 */
@Timeout(1200)
final class SteleRetrievalIT {
    private static final Map<String, String> NO_CACHE = Map.of("stele.cache.enabled", "false");

    @RegisterExtension static final S3Server S3 = new S3Server();

    @TempDir private Path directory;

    private static Map<String, String> onS3(Map<String, String> more) {
        return ImmutableMap.<String, String>builder()
                .putAll(S3.gateway().properties())
                .putAll(NO_CACHE)
                .putAll(more)
                .buildOrThrow();
    }

    private DistributedQueryRunner runner(SidecarFixture sidecar) throws Exception {
        DistributedQueryRunner runner = SteleCluster.queryRunner(0, Map.of(), new StelePlugin());
        try {
            Map<String, String> properties =
                    ImmutableMap.<String, String>builder()
                            .putAll(onS3(sidecar.catalogProperties()))
                            // else planning reads the whole of so small a file
                            .put("stele.scan.tail-cache-size", "0B")
                            .buildOrThrow();
            runner.createCatalog("stele", "stele", properties);
            return runner;
        } catch (Throwable e) {
            runner.close();
            throw e;
        }
    }

    private static Session session(DistributedQueryRunner runner, String property, String value) {
        return Session.builder(runner.getDefaultSession())
                .setCatalogSessionProperty("stele", property, value)
                .build();
    }

    private static String explained(DistributedQueryRunner runner, Session session, String sql) {
        return (String) runner.execute(session, "EXPLAIN ANALYZE VERBOSE " + sql).getOnlyValue();
    }

    private static long metric(String name, String text) {
        Matcher found =
                Pattern.compile("'%s' = LongCount\\{total=(\\d+)}".formatted(name)).matcher(text);
        assertThat(found.find()).as("%s in %s", name, text).isTrue();
        return Long.parseLong(found.group(1));
    }

    private static void assertFetched(String text) {
        assertThat(metric("Requests to the warehouse", text)).as(text).isPositive();
        assertThat(metric("Rounds of requests to the warehouse", text))
                .as(text)
                .isBetween(1L, metric("Requests to the warehouse", text));
        assertThat(metric("Bytes fetched from the warehouse", text)).as(text).isPositive();
        assertThat(metric("Bytes from the data cache", text)).as(text).isZero();
    }

    private static List<Object> retrieval(
            DistributedQueryRunner runner, String process, String where) {
        List<MaterializedRow> rows =
                runner.execute(
                                "SELECT sum(requests), sum(request_dollars), sum(fetched_bytes), sum(scans) FROM stele.system.retrieval WHERE process = '%s' AND %s"
                                        .formatted(process, where))
                        .getMaterializedRows();
        return rows.getFirst().getFields();
    }

    private static void assertCosts(List<Object> requestsAndDollars) {
        long requests = (long) requestsAndDollars.getFirst();
        assertThat(requests).isPositive();
        assertThat((double) requestsAndDollars.get(1))
                .isCloseTo(requests * 0.0004 / 1_000, within(1e-12));
        assertThat((long) requestsAndDollars.get(2)).isPositive();
    }

    @Test
    void everyReadIsCountedWhereItIsMade() throws Exception {
        Map<String, String> warehouse =
                onS3(Map.of("stele.warehouse.path", "s3://" + VersityGateway.BUCKET + "/it"));
        try (SidecarFixture sidecar = new SidecarFixture(directory.resolve("sidecar"), warehouse)) {
            try (DistributedQueryRunner runner = runner(sidecar)) {
                runner.execute("CREATE SCHEMA stele.s");
                runner.execute(
                        "CREATE TABLE stele.s.t (id bigint, v varchar, n double) WITH (primary_key = ARRAY['id'], orientation = 'column', shard_count = 1)");
                runner.execute(
                        "INSERT INTO stele.s.t SELECT orderkey, comment, totalprice FROM tpch.tiny.orders");
                sidecar.flush("s", "t");
            }
            sidecar.restart(); // nothing is in memory
            try (DistributedQueryRunner runner = runner(sidecar)) {
                lookups(runner);
                aggregations(runner);
                scans(runner);
                report(runner);
            }
        }
    }

    private static void lookups(DistributedQueryRunner runner) {
        String lookup = "SELECT v FROM stele.s.t WHERE id = 7";
        Session session = runner.getDefaultSession();
        assertFetched(explained(runner, session, lookup));
        String again = explained(runner, session, lookup);
        assertThat(metric("Bytes from memory", again)).as(again).isPositive();
        assertThat(metric("Requests to the warehouse", again))
                .as("metadata and indexes are in memory: %s", again)
                .isLessThanOrEqualTo(1);
    }

    private static void aggregations(DistributedQueryRunner runner) {
        Session session = session(runner, "cost_based_aggregation_enabled", "false");
        String text = explained(runner, session, "SELECT count(n), sum(n * 2) FROM stele.s.t");
        assertThat(text).contains("aggregate=");
        assertFetched(text);
    }

    private static void scans(DistributedQueryRunner runner) {
        Session session = session(runner, "aggregation_pushdown_enabled", "false");
        assertFetched(explained(runner, session, "SELECT max(v) FROM stele.s.t"));
    }

    private static void report(DistributedQueryRunner runner) {
        for (String process : List.of("worker", "sidecar")) {
            List<Object> table =
                    retrieval(runner, process, "table_name = 's.t' AND query_id IS NULL");
            assertCosts(table);
            List<Object> queries =
                    retrieval(runner, process, "table_name = 's.t' AND query_id IS NOT NULL");
            assertThat(queries.getFirst()).isEqualTo(table.getFirst());
            assertThat(queries.getLast()).isEqualTo(table.getLast());
            List<Object> all = retrieval(runner, process, "table_name IS NULL");
            assertCosts(all);
            assertThat((long) all.getFirst()).isGreaterThanOrEqualTo((long) table.getFirst());
        }
        assertThat(
                        runner.execute(
                                        "SELECT count(*) FROM stele.system.retrieval r JOIN system.runtime.queries q ON r.query_id = q.query_id WHERE r.process = 'sidecar' AND q.query LIKE '%id = 7%' AND r.requests > 0")
                                .getOnlyValue())
                .isIn(1L, 2L);
    }
}
