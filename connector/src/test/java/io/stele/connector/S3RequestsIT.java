package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.stele.testing.DelayingS3Proxy;
import io.stele.testing.InjectedDelays;
import io.stele.testing.RequestSpan;
import io.stele.testing.S3Server;
import io.stele.testing.VersityGateway;
import io.trino.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What statements cost of S3: requests, and rounds, which are what a statement waits for. The table
 * is in docs/operations.md; what is found goes to {@code target/s3-requests.txt}, request by
 * request. No node has a data cache, so nothing is read from a disk.
 *
 * <p>Requests are held until no other comes, so those that do not wait for each other are of one
 * round however slow the machine is. A thread that is slower than that makes it look like a round
 * more: budgets have one to spare, and more attempts. Of reads only those of objects that a
 * statement can need are counted: sidecars write, list and delete in the background.
 */
@ExtendWith(SteleCluster.OfTwoNodes.class)
final class S3RequestsIT {
    private static final String CATALOG = "s3_requests";
    private static final String SCHEMA = CATALOG + ".s.";
    private static final String SOURCE = "tpch.\"sf0.02\".orders";
    private static final int ORDERS = 30_000;
    private static final String COLUMNS =
            "orderkey, custkey, orderstatus, totalprice, orderdate, orderpriority, clerk, shippriority, comment";

    private static final String SUMS =
            "SELECT orderstatus, count(*), sum(totalprice), max(orderdate), sum(shippriority) FROM %scolumns GROUP BY orderstatus";

    /** Beyond those of all orders. */
    private static final long NEW_KEYS = 10_000_000;

    private static final String FOLDER = "stele/requests";

    /** What is read for statements. */
    private static final List<String> READ =
            Stream.of("data", "manifest", "catalog")
                    .map(kind -> "/%s/%s/".formatted(FOLDER, kind))
                    .toList();

    private static final int ATTEMPTS = 3;

    /** Longer than what is computed between two requests that do not wait for each other. */
    private static final long HELD_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    @RegisterExtension static final S3Server S3 = new S3Server();

    private final SteleCluster cluster;
    private final SteleQueries queries;
    private int nextKey; // so that no attempt finds what another one read

    S3RequestsIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    private static boolean isRead(RequestSpan span) {
        return span.isRead() && READ.stream().anyMatch(span.target()::contains);
    }

    /** What some work may cost at most. */
    private record Budget(int requests, int rounds) {}

    /** Something that is measured. */
    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }

    @Test
    void requestsAndRoundsAreWithinTheirBudgets() throws Exception {
        try (DelayingS3Proxy proxy =
                DelayingS3Proxy.start(S3.gateway().port(), InjectedDelays.NONE)) {
            Map<String, String> properties =
                    ImmutableMap.<String, String>builder()
                            .putAll(proxy.properties(S3.gateway()))
                            .put("stele.cache.enabled", "false")
                            .put("retrieval.hedge-budget", "0") // what is held looks late
                            .buildOrThrow();
            try (SidecarFixture sidecar =
                    cluster.newSidecar(
                            CATALOG,
                            ImmutableMap.<String, String>builder()
                                    .putAll(properties)
                                    .put("stele.write.direct-threshold", "0B")
                                    .buildOrThrow(),
                            ImmutableMap.<String, String>builder()
                                    .putAll(properties)
                                    .put(
                                            "stele.warehouse.path",
                                            "s3://" + VersityGateway.BUCKET + "/" + FOLDER)
                                    .buildOrThrow())) {
                Measured measured = new Measured(proxy, sidecar);
                createTables(sidecar);
                measureReads(measured);
                assertThat(measured.reads).isPositive();
                measureWrites(measured);
                assertThat(measured.tooMany).isEmpty();
            } finally {
                queries.run("DROP CATALOG " + CATALOG);
            }
        }
    }

    /** A column table whose files are in no order of the key, and a row table. */
    private void createTables(SidecarFixture sidecar) {
        create(
                sidecar,
                "columns",
                "primary_key = ARRAY['orderkey'], clustering_key = ARRAY['orderdate'], orientation = 'column', indexes = ARRAY['by_customer(custkey)']");
        create(sidecar, "rows", "primary_key = ARRAY['orderkey'], orientation = 'row'");
    }

    private void create(SidecarFixture sidecar, String table, String properties) {
        queries.run(
                "CREATE TABLE %s%s WITH (%s) AS SELECT * FROM %s"
                        .formatted(SCHEMA, table, properties, SOURCE));
        sidecar.flush("s", table);
        sidecar.compact("s", table);
    }

    private void measureReads(Measured measured) throws Exception {
        measured.checkReads(
                "full scan, column table",
                new Budget(10, 5),
                () ->
                        queries.run(
                                "SELECT checksum(ROW(%s)) FROM %scolumns"
                                        .formatted(COLUMNS, SCHEMA)));
        measured.check(
                "start, until all files are open", new Budget(120, 25), measured::startAgain);
        for (int keys : new int[] {1, 20, 1_000}) {
            int few = keys == 1 ? 4 : 16;
            measured.startAgain();
            measured.checkReads(
                    "column table by key, " + keys,
                    new Budget(few, 3),
                    () -> lookUp("columns", keys));
            measured.checkReads(
                    "row table by key, " + keys, new Budget(few, 2), () -> lookUp("rows", keys));
        }
        measured.checkReads(
                "column table by key, 1 more", new Budget(4, 2), () -> lookUp("columns", 1));
        measured.startAgain();
        measured.checkReads("secondary index", new Budget(14, 4), this::lookUpCustomer);
        measured.startAgain();
        measured.checkReads("index join of 25 keys", new Budget(16, 3), this::join);
        measured.startAgain();
        measured.checkReads(
                "aggregation in the sidecar",
                new Budget(9, 2),
                () -> queries.run(SUMS.formatted(SCHEMA)));
        measured.checkReads(
                "the same again", new Budget(0, 0), () -> queries.run(SUMS.formatted(SCHEMA)));
        measured.checkReads(
                "the same by workers",
                new Budget(24, 5),
                () ->
                        cluster.runner()
                                .execute(
                                        Session.builder(cluster.runner().getDefaultSession())
                                                .setCatalogSessionProperty(
                                                        CATALOG,
                                                        "aggregation_pushdown_enabled",
                                                        "false")
                                                .build(),
                                        SUMS.formatted(SCHEMA)));
        measured.startAgain();
        measured.checkReads(
                "planning",
                new Budget(0, 0),
                () ->
                        queries.run(
                                "EXPLAIN SELECT r.clerk, sum(c.totalprice) FROM %1$scolumns c JOIN %1$srows r ON c.orderkey = r.custkey WHERE c.custkey > 7 GROUP BY 1"
                                        .formatted(SCHEMA)));
        measured.checkReads(
                "scan of a month",
                new Budget(12, 5),
                () ->
                        queries.run(
                                "SELECT sum(totalprice) FROM %scolumns WHERE orderdate < DATE '1992-02-01'"
                                        .formatted(SCHEMA)));
    }

    private void measureWrites(Measured measured) throws Exception {
        measured.startAgain();
        measured.check(
                "upsert of 1,000 keys, column table",
                new Budget(57, 24),
                () -> assertThat(upsert(0)).isEqualTo(1_000));
        measured.check(
                "INSERT of 1,000 new keys, column table",
                new Budget(42, 20),
                () -> assertThat(upsert(++nextKey * NEW_KEYS)).isEqualTo(1_000));
        queries.run(
                "UPDATE %scolumns SET comment = 'changed' WHERE orderkey %% 1201 = 7"
                        .formatted(SCHEMA));
        measured.check(
                "flush of some 60 changed rows",
                new Budget(45, 12),
                () -> measured.sidecar.flush("s", "columns"));
    }

    private void lookUp(String table, int count) {
        String keys =
                IntStream.range(0, count)
                        .mapToLong(_ -> newKey())
                        .mapToObj(String::valueOf)
                        .collect(Collectors.joining(", "));
        assertThat(
                        cluster.runner()
                                .execute(
                                        lookingUp(),
                                        "SELECT * FROM %s%s WHERE orderkey IN (%s)"
                                                .formatted(SCHEMA, table, keys))
                                .getRowCount())
                .isEqualTo(count);
    }

    /** Such small tables would be scanned otherwise. */
    private Session lookingUp() {
        return Session.builder(cluster.runner().getDefaultSession())
                .setCatalogSessionProperty(CATALOG, "index_join_enabled", "true")
                .setCatalogSessionProperty(CATALOG, "cost_based_lookups_enabled", "false")
                .build();
    }

    /** The key of an order, another one each time, from anywhere. */
    private long newKey() {
        int eighth = ORDERS / 8;
        return nextKey++ * 7_919L % eighth * 32 + 1;
    }

    private void lookUpCustomer() {
        assertThat(
                        queries.run(
                                        "SELECT * FROM %scolumns WHERE custkey = %d"
                                                .formatted(SCHEMA, 3 * (nextKey++ % 600) + 1))
                                .getRowCount())
                .isPositive();
    }

    private void join() {
        assertThat(
                        cluster.runner()
                                .execute(
                                        lookingUp(),
                                        "SELECT o.comment FROM (SELECT nationkey * 1600 + %d k FROM tpch.tiny.nation) n JOIN %scolumns o ON o.orderkey = n.k"
                                                .formatted(32 * (nextKey++ % 50) + 1, SCHEMA))
                                .getRowCount())
                .isEqualTo(25);
    }

    /**
     * @param added to keys of orders that are there
     */
    private long upsert(long added) {
        return queries.update(
                "INSERT INTO %scolumns SELECT orderkey + %d, custkey, orderstatus, totalprice, orderdate, orderpriority, clerk, shippriority, comment FROM %s WHERE orderkey %% 96 = 1 LIMIT 1000"
                        .formatted(SCHEMA, added, SOURCE));
    }

    /** Measures work, and finds what is over its budget. Confined to one thread. */
    private final class Measured {
        private final DelayingS3Proxy proxy;
        private final SidecarFixture sidecar;
        private final Path report = Path.of("target", "s3-requests.txt");
        private final List<String> tooMany = new ArrayList<>();
        private long reads; // which are counted, or none of them could be too many

        Measured(DelayingS3Proxy proxy, SidecarFixture sidecar) throws IOException {
            this.proxy = proxy;
            this.sidecar = sidecar;
            Files.deleteIfExists(report);
        }

        /** Nothing is in the sidecar's memory but what opening its files brings. */
        void startAgain() throws IOException {
            sidecar.restart();
            proxy.awaitIdle(IDLE_NANOS);
        }

        void check(String what, Budget budget, Work work) throws Exception {
            check(what, budget, work, _ -> true);
        }

        /** Of work that only reads. */
        void checkReads(String what, Budget budget, Work work) throws Exception {
            check(what, budget, work, S3RequestsIT::isRead);
        }

        private void check(String what, Budget budget, Work work, Predicate<RequestSpan> counted)
                throws Exception {
            List<RequestSpan> spans = List.of();
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                if (attempt > 0) {
                    startAgain();
                }
                proxy.awaitIdle(IDLE_NANOS);
                List<RequestSpan> all = measure(work);
                report(what, all);
                spans = all.stream().filter(counted).toList();
                reads += spans.stream().filter(S3RequestsIT::isRead).count();
                if (spans.size() <= budget.requests && RequestSpan.rounds(spans) <= budget.rounds) {
                    return;
                }
            }
            tooMany.add(
                    "%s: %d requests in %d rounds, more than %s"
                            .formatted(what, spans.size(), RequestSpan.rounds(spans), budget));
        }

        private List<RequestSpan> measure(Work work) throws Exception {
            proxy.takeSpans();
            proxy.hold(HELD_NANOS);
            try {
                work.run();
            } finally {
                proxy.hold(0);
            }
            return proxy.takeSpans();
        }

        private void report(String what, List<RequestSpan> spans) throws IOException {
            StringBuilder lines = new StringBuilder();
            lines.append(
                    "%s: %d requests, %d rounds, at most %d in flight%n"
                            .formatted(
                                    what,
                                    spans.size(),
                                    RequestSpan.rounds(spans),
                                    RequestSpan.mostInFlight(spans)));
            for (RequestSpan span : spans) {
                lines.append(
                        "    %d %s %s %s%n"
                                .formatted(
                                        TimeUnit.NANOSECONDS.toMillis(
                                                span.startNanos() - spans.getFirst().startNanos()),
                                        span.method(),
                                        span.target(),
                                        span.range()));
            }
            Files.writeString(report, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
    }
}
