package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.stele.testing.DelayingS3Proxy;
import io.stele.testing.InjectedDelays;
import io.stele.testing.RequestSpan;
import io.stele.testing.S3Server;
import io.stele.testing.VersityGateway;
import io.trino.Session;
import io.trino.testing.DistributedQueryRunner;
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
import org.junit.jupiter.api.io.TempDir;

/**
 * What statements cost of S3: requests, and rounds, which are what a statement waits for. The table
 * is in docs/operations.md; what is found goes to {@code target/s3-requests*.txt}, request by
 * request. One test is without data caches, so that nothing is read from a disk, and looks keys up
 * where a scan would be chosen. The other one has the defaults of all caches and choices.
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
            "SELECT orderstatus, count(*), sum(totalprice), max(orderdate), sum(shippriority) FROM %scolumns GROUP BY orderstatus"
                    .formatted(SCHEMA);

    private static final String ALL =
            "SELECT checksum(ROW(%s)) FROM %scolumns".formatted(COLUMNS, SCHEMA);

    private static final String MONTH =
            "SELECT sum(totalprice) FROM %scolumns WHERE orderdate < DATE '1992-02-01'"
                    .formatted(SCHEMA);

    private static final String PLANNED =
            "EXPLAIN SELECT r.clerk, sum(c.totalprice) FROM %1$scolumns c JOIN %1$srows r ON c.orderkey = r.custkey WHERE c.custkey > 7 GROUP BY 1"
                    .formatted(SCHEMA);

    /** Beyond those of all orders. */
    private static final long NEW_KEYS = 10_000_000;

    private static final String HEDGE_BUDGET = "retrieval.hedge-budget";
    private static final String FOLDER = "stele/requests";
    private static final String DEFAULTS_FOLDER = "stele/requests-defaults";

    /** What is read for statements. */
    private static final List<String> READ =
            Stream.of(FOLDER, DEFAULTS_FOLDER)
                    .flatMap(
                            folder ->
                                    Stream.of("data", "manifest", "catalog")
                                            .map(kind -> "/%s/%s/".formatted(folder, kind)))
                    .toList();

    private static final int ATTEMPTS = 3;

    /** Longer than what is computed between two requests that do not wait for each other. */
    private static final long HELD_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    @RegisterExtension static final S3Server S3 = new S3Server();

    private final SteleCluster cluster;

    @TempDir private Path directory;

    S3RequestsIT(SteleCluster cluster) {
        this.cluster = cluster;
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
                            .putAll(properties(proxy))
                            .put("stele.cache.enabled", "false")
                            .buildOrThrow();
            DistributedQueryRunner runner = cluster.runner();
            try (SidecarFixture sidecar =
                    cluster.newSidecar(
                            CATALOG,
                            ImmutableMap.<String, String>builder()
                                    .putAll(properties)
                                    .put("stele.write.direct-threshold", "0B")
                                    .buildOrThrow(),
                            inFolder(properties, FOLDER))) {
                // Such small tables would be scanned otherwise
                Session lookingUp =
                        Session.builder(runner.getDefaultSession())
                                .setCatalogSessionProperty(CATALOG, "index_join_enabled", "true")
                                .setCatalogSessionProperty(
                                        CATALOG, "cost_based_lookups_enabled", "false")
                                .build();
                Statements statements = new Statements(runner, lookingUp);
                Measured measured =
                        new Measured(proxy, sidecar, sidecar::restart, "s3-requests.txt");
                statements.createTables(sidecar);
                measureReads(measured, statements);
                assertThat(measured.reads).isPositive();
                measureWrites(measured, statements);
                assertThat(measured.tooMany).isEmpty();
            } finally {
                runner.execute("DROP CATALOG " + CATALOG);
            }
        }
    }

    /** Hedging off: what is held looks late. */
    private static Map<String, String> properties(DelayingS3Proxy proxy) {
        return ImmutableMap.<String, String>builder()
                .putAll(proxy.properties(S3.gateway()))
                .put(HEDGE_BUDGET, "0")
                .buildOrThrow();
    }

    private static Map<String, String> inFolder(Map<String, String> properties, String folder) {
        return ImmutableMap.<String, String>builder()
                .putAll(properties)
                .put("stele.warehouse.path", "s3://" + VersityGateway.BUCKET + "/" + folder)
                .buildOrThrow();
    }

    /**
     * Cold is after a start of the sidecar with a new catalog, all of whose caches on disk were
     * deleted; warm is after a start of the sidecar that finds its cache. What is looked up,
     * scanned or aggregated where is chosen by the product.
     */
    @Test
    void withTheDefaultsRequestsAndRoundsAreWithinTheirBudgets() throws Exception {
        Path node = directory.resolve("node");
        Path sidecars = directory.resolve("sidecar");
        try (DelayingS3Proxy proxy =
                        DelayingS3Proxy.start(S3.gateway().port(), InjectedDelays.NONE);
                DistributedQueryRunner runner =
                        SteleCluster.queryRunner(1, Map.of(), new StelePlugin(node.toString()));
                SidecarFixture sidecar =
                        new SidecarFixture(
                                sidecars, inFolder(properties(proxy), DEFAULTS_FOLDER))) {
            CatalogOfDefaults catalog = new CatalogOfDefaults(runner, sidecar, properties(proxy));
            catalog.create();
            runner.execute("CREATE SCHEMA " + CATALOG + ".s");
            Statements statements = new Statements(runner, runner.getDefaultSession());
            statements.createTables(sidecar);
            Measured cold =
                    new Measured(
                            proxy,
                            sidecar,
                            () -> {
                                runner.execute("DROP CATALOG " + CATALOG);
                                sidecar.stop();
                                deleteFiles(node);
                                deleteFiles(sidecars.resolve("wal-cache"));
                                sidecar.startAgain();
                                catalog.create();
                            },
                            "s3-requests-defaults-cold.txt");
            measureDefaults(cold, statements);
            assertThat(cold.reads).isPositive();
            Measured warm =
                    new Measured(proxy, sidecar, sidecar::restart, "s3-requests-defaults-warm.txt");
            measureDefaultsAgain(warm, statements);
            assertThat(Stream.concat(cold.tooMany.stream(), warm.tooMany.stream())).isEmpty();
        }
    }

    /** The catalog of the run with defaults. Confined to one thread. */
    private static final class CatalogOfDefaults {
        private final DistributedQueryRunner runner;
        private final SidecarFixture sidecar;
        private final Map<String, String> properties;
        private String noHedging = "0.";

        CatalogOfDefaults(
                DistributedQueryRunner runner,
                SidecarFixture sidecar,
                Map<String, String> properties) {
            this.runner = runner;
            this.sidecar = sidecar;
            this.properties = properties;
        }

        /**
         * Nodes go on with a dropped catalog, and with its caches, if one is created that has the
         * same properties: so each has one in which a number is written in another way.
         */
        void create() {
            noHedging += "0";
            runner.createCatalog(
                    CATALOG,
                    "stele",
                    ImmutableMap.<String, String>builder()
                            .putAll(sidecar.catalogProperties())
                            .putAll(properties)
                            .put(HEDGE_BUDGET, noHedging)
                            .buildKeepingLast());
        }
    }

    /** The folders stay. */
    private static void deleteFiles(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private static void measureDefaults(Measured measured, Statements statements) throws Exception {
        for (int keys : new int[] {1, 20, 1_000}) {
            for (String table : List.of("columns", "rows")) {
                measured.startAgain();
                measured.checkReads(
                        "%s by key, %d, cold".formatted(table, keys),
                        new Budget(16, 4),
                        () -> statements.lookUp(table, keys));
                measured.checkReads(
                        "%s by key, %d more".formatted(table, keys),
                        new Budget(16, 3),
                        () -> statements.lookUp(table, keys),
                        () -> statements.lookUp(table, keys));
            }
        }
        measured.startAgain();
        measured.checkReads("secondary index, cold", new Budget(14, 4), statements::lookUpCustomer);
        measured.startAgain();
        measured.checkReads("join of 25 keys, cold", new Budget(20, 5), statements::join);
        measured.startAgain();
        measured.checkReads("aggregation, cold", new Budget(24, 5), () -> statements.run(SUMS));
        measured.checkReads(
                "the same again",
                new Budget(0, 0),
                () -> statements.run(SUMS),
                () -> statements.run(SUMS));
        measured.startAgain();
        measured.checkReads("planning, cold", new Budget(0, 0), () -> statements.run(PLANNED));
        measured.checkReads(
                "scan of a month, cold", new Budget(12, 5), () -> statements.run(MONTH));
        measured.startAgain();
        measured.checkReads("full scan, cold", new Budget(12, 5), () -> statements.run(ALL));
        measured.checkReads(
                "the same again",
                new Budget(0, 0),
                () -> statements.run(ALL),
                () -> statements.run(ALL));
        measured.startAgain();
        measured.checkWrite(
                "upsert of 1,000 keys, cold",
                new Budget(57, 24),
                () -> assertThat(statements.upsert(0)).isEqualTo(1_000));
        measured.checkWrite(
                "UPDATE of some 60 rows",
                new Budget(57, 24),
                () -> assertThat(statements.update()).isPositive());
        measured.startAgain();
    }

    private static void measureDefaultsAgain(Measured measured, Statements statements)
            throws Exception {
        statements.run(ALL);
        measured.check(
                "start, until all files are open", new Budget(120, 25), measured::startAgain);
        for (String table : List.of("columns", "rows")) {
            measured.checkReads(
                    "%s by key, 20, after a start".formatted(table),
                    new Budget(16, 3),
                    () -> statements.lookUp(table, 20));
        }
        measured.checkReads(
                "full scan, after a start", new Budget(0, 0), () -> statements.run(ALL));
    }

    private static void measureReads(Measured measured, Statements statements) throws Exception {
        measured.checkReads(
                "full scan, column table", new Budget(10, 5), () -> statements.run(ALL));
        measured.check(
                "start, until all files are open", new Budget(120, 25), measured::startAgain);
        for (int keys : new int[] {1, 20, 1_000}) {
            measured.startAgain();
            measured.checkReads(
                    "column table by key, " + keys,
                    new Budget(keys == 1 ? 4 : 16, 3),
                    () -> statements.lookUp("columns", keys));
            // An index block of each of 4 shards, and the blocks of the keys. How many of them are
            // one request depends on the latencies of the store: for one as fast as this one may
            // seem, those of 64 KiB, of which each of the 4 files has 9.
            measured.checkReads(
                    "row table by key, " + keys,
                    new Budget(keys == 1 ? 4 : keys == 20 ? 24 : 40, 2),
                    () -> statements.lookUp("rows", keys));
        }
        measured.checkReads(
                "column table by key, 1 more",
                new Budget(4, 2),
                () -> statements.lookUp("columns", 1),
                () -> statements.lookUp("columns", 1));
        measured.startAgain();
        measured.checkReads("secondary index", new Budget(14, 4), statements::lookUpCustomer);
        measured.startAgain();
        measured.checkReads("index join of 25 keys", new Budget(16, 3), statements::join);
        measured.startAgain();
        measured.checkReads(
                "aggregation in the sidecar", new Budget(9, 2), () -> statements.run(SUMS));
        measured.checkReads(
                "the same again",
                new Budget(0, 0),
                () -> statements.run(SUMS),
                () -> statements.run(SUMS));
        measured.checkReads("the same by workers", new Budget(24, 5), statements::sumByWorkers);
        measured.startAgain();
        measured.checkReads("planning", new Budget(0, 0), () -> statements.run(PLANNED));
        measured.checkReads("scan of a month", new Budget(12, 5), () -> statements.run(MONTH));
    }

    private static void measureWrites(Measured measured, Statements statements) throws Exception {
        measured.startAgain();
        measured.checkWrite(
                "upsert of 1,000 keys, column table",
                new Budget(57, 24),
                () -> assertThat(statements.upsert(0)).isEqualTo(1_000));
        measured.checkWrite(
                "INSERT of 1,000 new keys, column table",
                new Budget(42, 20),
                () -> assertThat(statements.insert()).isEqualTo(1_000));
        statements.update();
        measured.check(
                "flush of some 60 changed rows",
                new Budget(45, 12),
                () -> measured.sidecar.flush("s", "columns"));
    }

    /** The statements that are measured, and those before them. Confined to one thread. */
    private static final class Statements {
        private final DistributedQueryRunner runner;
        private final Session lookups;
        private int nextKey; // so that no attempt finds what another one read

        /**
         * @param lookups the session of what finds rows by key
         */
        Statements(DistributedQueryRunner runner, Session lookups) {
            this.runner = runner;
            this.lookups = lookups;
        }

        /** A column table whose files are in no order of the key, and a row table. */
        void createTables(SidecarFixture sidecar) {
            create(
                    sidecar,
                    "columns",
                    "primary_key = ARRAY['orderkey'], clustering_key = ARRAY['orderdate'], orientation = 'column', indexes = ARRAY['by_customer(custkey)']");
            create(sidecar, "rows", "primary_key = ARRAY['orderkey'], orientation = 'row'");
        }

        private void create(SidecarFixture sidecar, String table, String properties) {
            runner.execute(
                    "CREATE TABLE %s%s WITH (%s) AS SELECT * FROM %s"
                            .formatted(SCHEMA, table, properties, SOURCE));
            sidecar.flush("s", table);
            sidecar.compact("s", table);
        }

        void run(String sql) {
            runner.execute(sql);
        }

        void lookUp(String table, int count) {
            String keys =
                    IntStream.range(0, count)
                            .mapToLong(_ -> newKey())
                            .mapToObj(String::valueOf)
                            .collect(Collectors.joining(", "));
            assertThat(rows("SELECT * FROM %s%s WHERE orderkey IN (%s)", SCHEMA, table, keys))
                    .isEqualTo(count);
        }

        private long rows(String sql, Object... values) {
            return runner.execute(lookups, sql.formatted(values)).getRowCount();
        }

        /** The key of an order, another one each time, from anywhere. */
        private long newKey() {
            int eighth = ORDERS / 8;
            return nextKey++ * 7_919L % eighth * 32 + 1;
        }

        void lookUpCustomer() {
            assertThat(
                            rows(
                                    "SELECT * FROM %scolumns WHERE custkey = %d",
                                    SCHEMA, 3 * (nextKey++ % 600) + 1))
                    .isPositive();
        }

        void join() {
            assertThat(
                            rows(
                                    "SELECT o.comment FROM (SELECT nationkey * 1600 + %d k FROM tpch.tiny.nation) n JOIN %scolumns o ON o.orderkey = n.k",
                                    32 * (nextKey++ % 50) + 1, SCHEMA))
                    .isEqualTo(25);
        }

        void sumByWorkers() {
            runner.execute(
                    Session.builder(runner.getDefaultSession())
                            .setCatalogSessionProperty(
                                    CATALOG, "aggregation_pushdown_enabled", "false")
                            .build(),
                    SUMS);
        }

        long insert() {
            return upsert(++nextKey * NEW_KEYS);
        }

        /**
         * @param added to keys of orders that are there
         */
        long upsert(long added) {
            return changed(
                    "INSERT INTO %scolumns SELECT orderkey + %d, custkey, orderstatus, totalprice, orderdate, orderpriority, clerk, shippriority, comment FROM %s WHERE orderkey %% 96 = 1 LIMIT 1000"
                            .formatted(SCHEMA, added, SOURCE));
        }

        long update() {
            return changed(
                    "UPDATE %scolumns SET comment = 'changed' WHERE orderkey %% 1201 = 7"
                            .formatted(SCHEMA));
        }

        private long changed(String sql) {
            return runner.execute(sql).getUpdateCount().orElse(-1);
        }
    }

    /** Empties what a start is to find empty, and starts. */
    @FunctionalInterface
    private interface Start {
        void run() throws IOException;
    }

    /** Measures work, and finds what is over its budget. Confined to one thread. */
    private static final class Measured {
        private final DelayingS3Proxy proxy;
        private final SidecarFixture sidecar;
        private final Start start;
        private final Path report;
        private final List<String> tooMany = new ArrayList<>();
        private long reads; // which are counted, or none of them could be too many

        Measured(DelayingS3Proxy proxy, SidecarFixture sidecar, Start start, String report)
                throws IOException {
            this.proxy = proxy;
            this.sidecar = sidecar;
            this.start = start;
            this.report = Path.of("target", report);
            Files.deleteIfExists(this.report);
        }

        /** Nothing is in the sidecar's memory but what opening its files brings. */
        void startAgain() throws IOException {
            start.run();
            proxy.awaitIdle(IDLE_NANOS);
        }

        void check(String what, Budget budget, Work work) throws Exception {
            check(what, budget, () -> {}, work, _ -> true);
        }

        /**
         * Of a write, which leaves files: of four, some would be merged in the middle of the next
         * one. So each attempt begins with a table of large ones and an empty memory.
         */
        void checkWrite(String what, Budget budget, Work work) throws Exception {
            Work fewFiles =
                    () -> {
                        sidecar.compact("s", "columns");
                        startAgain();
                    };
            fewFiles.run();
            check(what, budget, fewFiles, work, _ -> true);
        }

        /** Of work that only reads, and finds nothing in memory. */
        void checkReads(String what, Budget budget, Work work) throws Exception {
            checkReads(what, budget, () -> {}, work);
        }

        /**
         * Of work that only reads.
         *
         * @param before what the caller has run before it, and is run again before each further
         *     attempt
         */
        void checkReads(String what, Budget budget, Work before, Work work) throws Exception {
            check(what, budget, before, work, S3RequestsIT::isRead);
        }

        private void check(
                String what, Budget budget, Work before, Work work, Predicate<RequestSpan> counted)
                throws Exception {
            List<RequestSpan> spans = List.of();
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                if (attempt > 0) {
                    startAgain();
                    before.run();
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
