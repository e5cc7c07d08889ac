package io.stele.benchmarks.quickstart;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.FlinkJobs;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.testing.FlinkCluster;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The last part of the demonstration, about streams. A job of Flink streams generated orders into a
 * table, exactly once, with the owners that a lookup join finds in the accounts. Another one
 * follows the changes of that table and keeps totals in a second one. Trino watches both tables.
 * Where there is a lake, a third job writes a table of it with Apache Paimon's own connector, which
 * Trino watches too. Cluster and jobs go on until this is closed.
 *
 * <p>Confined to one thread.
 */
final class StreamFromFlink implements AutoCloseable {
    /**
     * The number of an order is state of the job, which has no key that would hide a second one.
     */
    private static final String ORDERS =
            """
            SET 'pipeline.name' = 'orders';
            SET 'execution.checkpointing.interval' = '1 s';
            CREATE DATABASE IF NOT EXISTS s.shop;
            CREATE TABLE IF NOT EXISTS s.shop.orders (orderkey BIGINT, custkey BIGINT, owner STRING, totalprice DECIMAL(12, 2));
            CREATE TEMPORARY TABLE incoming (custkey BIGINT, totalprice DECIMAL(12, 2), seen AS PROCTIME()) WITH (
                'connector' = 'datagen',
                'rows-per-second' = '500',
                'fields.custkey.min' = '1',
                'fields.custkey.max' = '1000',
                'fields.totalprice.min' = '1',
                'fields.totalprice.max' = '1000'
            );
            INSERT INTO s.shop.orders
            SELECT o.orderkey, o.custkey, a.owner, o.totalprice
            FROM (SELECT COUNT(*) OVER (ORDER BY seen) AS orderkey, custkey, totalprice, seen FROM incoming) AS o
            LEFT JOIN s.live.accounts FOR SYSTEM_TIME AS OF o.seen AS a ON a.id = o.custkey;
            """;

    private static final String TOTALS =
            """
            SET 'pipeline.name' = 'totals';
            SET 'execution.checkpointing.interval' = '1 s';
            CREATE TABLE s.shop.totals (custkey BIGINT, orders BIGINT, total DECIMAL(38, 2), PRIMARY KEY (custkey) NOT ENFORCED) WITH ('orientation' = 'row');
            INSERT INTO s.shop.totals
            SELECT custkey, COUNT(*), SUM(totalprice)
            FROM s.shop.orders /*+ OPTIONS('scan.startup.mode' = 'initial') */
            GROUP BY custkey;
            """;

    /**
     * A slot for each job; and Flink's default heartbeats: nothing is killed here, so a slow
     * machine need not look like that.
     */
    private static final Map<String, String> SETTINGS =
            Map.of(
                    "taskmanager.numberOfTaskSlots", "3",
                    "taskmanager.memory.network.min", "64m",
                    "taskmanager.memory.network.max", "64m",
                    "heartbeat.interval", "10 s",
                    "heartbeat.timeout", "50 s");

    private static final String COUNT = "SELECT count(*) FROM stele.shop.orders";

    /** One snapshot of the orders and of the records of the job's commits. */
    private static final String SEEN =
            """
            SELECT
                count(*),
                count(DISTINCT orderkey),
                min(orderkey),
                max(orderkey),
                (SELECT sum(last_sequence) FROM stele.stele_flink.commits WHERE table_name = 'shop.orders' AND sequence = 0),
                (SELECT sum(row_count) FROM stele.stele_flink.commits WHERE table_name = 'shop.orders' AND sequence > 0)
            FROM stele.shop.orders
            """;

    private static final String OWNERS =
            """
            SELECT count(o.owner), count_if(o.owner IS DISTINCT FROM a.owner)
            FROM stele.shop.orders AS o
            LEFT JOIN stele.live.accounts AS a ON a.id = o.custkey
            """;

    /** Customers whose totals are not those of their orders. */
    private static final String WRONG_TOTALS =
            """
            SELECT count(*)
            FROM (SELECT custkey, count(*) AS orders, sum(totalprice) AS total FROM stele.shop.orders GROUP BY custkey) AS o
            FULL JOIN stele.shop.totals AS t ON t.custkey = o.custkey
            WHERE t.orders IS DISTINCT FROM o.orders OR t.total IS DISTINCT FROM o.total
            """;

    /** Visits 0 to 19,999 in this order, the one of a customer a thousand after the one before. */
    private static final String VISITS =
            """
            SET 'pipeline.name' = 'visits';
            SET 'execution.checkpointing.interval' = '1 s';
            CREATE TABLE lake.shop.visits (customer BIGINT, visits BIGINT, last_visit BIGINT, PRIMARY KEY (customer) NOT ENFORCED) WITH ('bucket' = '2');
            CREATE TEMPORARY TABLE incoming (id BIGINT) WITH (
                'connector' = 'datagen',
                'rows-per-second' = '2000',
                'fields.id.kind' = 'sequence',
                'fields.id.start' = '0',
                'fields.id.end' = '19999'
            );
            INSERT INTO lake.shop.visits SELECT MOD(id, 1000), COUNT(*), MAX(id) FROM incoming GROUP BY MOD(id, 1000);
            """;

    private static final long VISIT_COUNT = 20_000;

    /** Of one snapshot: as many visits as the last one says, and for each customer as well. */
    private static final String VISITS_SEEN =
            """
            SELECT sum(visits), max(last_visit) + 1, count_if(last_visit <> (visits - 1) * 1000 + customer)
            FROM lake.shop.visits
            """;

    private final Run run;
    private @Nullable FlinkJobs jobs;

    StreamFromFlink(Run run) {
        this.run = requireNonNull(run, "run is null");
    }

    /**
     * @param lake the folder of the warehouse of the catalog {@code lake}
     */
    void run(int part, Optional<Path> lake, TrinoSession trino, Findings findings)
            throws Exception {
        findings.heading("%d. Flink streams orders while Trino queries run".formatted(part));
        long start = System.nanoTime();
        FlinkJobs started = FlinkJobs.start(run, SETTINGS, FlinkCluster.SMALL, lake);
        jobs = started;
        findings.say("a cluster of Flink at %s", started.cluster().uri());
        findings.measured("start of a cluster of Flink", "%.1f s", seconds(start));
        Show show = new Show(started, trino, findings);
        show.run();
        if (lake.isPresent()) {
            findings.heading("%d. Flink streams into the lake, Trino sees it".formatted(part + 1));
            show.streamIntoLake();
        }
    }

    /** Where the cluster is, if it was started. */
    Optional<URI> address() {
        return Optional.ofNullable(jobs).map(started -> started.cluster().uri());
    }

    @Override
    public void close() {
        if (jobs != null) {
            jobs.close();
        }
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    /** Orders as one query of Trino sees them. */
    private record Seen(
            long count, long distinct, long first, long last, long commits, long recorded) {
        /** The commits of a writer of which the connector keeps records. */
        private static final long RECORDS = 16;

        static Seen of(TrinoSession trino) throws SQLException {
            List<Long> numbers =
                    trino.query(SEEN).getFirst().stream().map(Long.class::cast).toList();
            return new Seen(
                    numbers.get(0),
                    numbers.get(1),
                    numbers.get(2),
                    numbers.get(3),
                    numbers.get(4),
                    numbers.get(5));
        }

        /** Orders 1 to n, each once; and all orders of each commit, where that can be said. */
        boolean isWhole() {
            return count == distinct
                    && first == 1
                    && last == count
                    && (commits > RECORDS || recorded == count);
        }
    }

    /** What is shown on a cluster. */
    private record Show(FlinkJobs jobs, TrinoSession trino, Findings findings) {
        private static final long CUSTOMER = 7;
        private static final long POLL_MILLIS = 200;

        /** Far above what a loaded machine needs for the next commit. */
        private static final long TIMEOUT_NANOS = TimeUnit.MINUTES.toNanos(3);

        void run() throws Exception {
            long start = System.nanoTime();
            String orders = submitOrders(Optional.empty());
            awaitOrders(0);
            findings.measured("job of Flink: from SQL to rows in Trino", "%.1f s", seconds(start));
            watch("each query of Trino saw whole checkpoints, each order once", 5);
            checkOwners();

            String totals = jobs.submit("totals", 1, Optional.empty(), TOTALS);
            jobs.cluster().awaitCheckpoints(totals, 1);
            String savepoint = jobs.cluster().stopWithSavepoint(orders);
            start = System.nanoTime();
            long generated = checkStopped(orders);
            awaitTotals("a second job has followed the orders to the same totals");
            findings.measured("from the last order to its totals", "%.1f s", seconds(start));
            checkUpdate();

            orders = submitOrders(Optional.of(savepoint));
            awaitOrders(generated);
            watch("restored from the savepoint, it has lost and doubled no order", 3);
            checkOwners();
            findings.checkEqual(
                    "both jobs run",
                    List.of("RUNNING", "RUNNING"),
                    List.of(jobs.cluster().state(orders), jobs.cluster().state(totals)));
        }

        /** The job ends by itself, with a last checkpoint. */
        void streamIntoLake() throws Exception {
            String job = jobs.submit("visits", 1, Optional.empty(), VISITS);
            List<Object> torn = List.of();
            long seen = 0;
            long deadline = System.nanoTime() + TIMEOUT_NANOS;
            while (seen < VISIT_COUNT && System.nanoTime() < deadline) {
                List<Object> row = trino.query(VISITS_SEEN).getFirst();
                long visits = row.get(0) instanceof Long sum ? sum : 0;
                if (visits > seen) {
                    findings.say("Trino sees %,d visits in Paimon's table", visits);
                }
                if (visits < seen
                        || visits > 0 && (!row.get(1).equals(visits) || !row.get(2).equals(0L))) {
                    torn = row;
                }
                seen = visits;
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
            findings.check(
                    "each query of Trino saw whole checkpoints of the lake",
                    torn.isEmpty(),
                    "found visits, last visit and customers in between: %s".formatted(torn));
            findings.checkEqual("and in the end all visits", VISIT_COUNT, seen);
            jobs.cluster().awaitState(job, "FINISHED");
        }

        private String submitOrders(Optional<String> savepoint) throws IOException {
            return jobs.submit("orders", 1, savepoint, ORDERS);
        }

        /** Queries until there have been more orders some times. */
        private void watch(String what, int times) throws Exception {
            Optional<Seen> torn = Optional.empty();
            for (int i = 0; i < times; i++) {
                awaitOrders(trino.number(COUNT));
                Seen seen = Seen.of(trino);
                findings.say("Trino sees %,d orders, of %d commits", seen.count(), seen.commits());
                if (!seen.isWhole()) {
                    torn = Optional.of(seen);
                }
            }
            findings.check(what, torn.isEmpty(), "found " + torn);
        }

        /** Waits until there are more orders. */
        private void awaitOrders(long above) throws Exception {
            if (!await(() -> trino.number(COUNT) > above)) {
                throw new IllegalStateException(
                        "Expected more than %d orders, found no more".formatted(above));
            }
        }

        /**
         * Orders that wait for their lookups are in the savepoint. The counter of a job that failed
         * and was restored begins anew.
         *
         * @return the orders that the job has generated, committed or in the savepoint
         */
        private long checkStopped(String job) throws Exception {
            long committed = trino.number(COUNT);
            if (jobs.cluster().restoredCheckpoints(job) > 0) {
                findings.say("Flink has restarted the job, so it has not counted all orders");
                return committed;
            }
            long generated = jobs.cluster().sourceRows(job);
            findings.check(
                    "stopped with a savepoint: of %,d orders %,d are committed, and %,d in the savepoint"
                            .formatted(generated, committed, generated - committed),
                    committed <= generated,
                    "more are committed than were generated");
            return generated;
        }

        private void checkOwners() throws SQLException {
            List<Object> row = trino.query(OWNERS).getFirst();
            long count = (Long) row.get(0);
            findings.check(
                    "the lookup join found the owners (of %,d orders)".formatted(count),
                    count > 0 && row.get(1).equals(0L),
                    "%s orders have other owners than Trino finds".formatted(row.get(1)));
        }

        /** The job that follows the orders gets what others change as well. */
        private void checkUpdate() throws Exception {
            long updated =
                    trino.update(
                            "UPDATE stele.shop.orders SET totalprice = totalprice + 1 WHERE custkey = "
                                    + CUSTOMER);
            awaitTotals("and an UPDATE by Trino of %d orders as well".formatted(updated));
        }

        private void awaitTotals(String what) throws Exception {
            findings.check(
                    what,
                    await(() -> trino.number(WRONG_TOTALS) == 0),
                    "%d customers have other totals".formatted(trino.number(WRONG_TOTALS)));
        }

        private static boolean await(Condition condition) throws Exception {
            long deadline = System.nanoTime() + TIMEOUT_NANOS;
            while (!condition.holds()) {
                if (System.nanoTime() > deadline) {
                    return false;
                }
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
            return true;
        }
    }

    @FunctionalInterface
    private interface Condition {
        boolean holds() throws SQLException;
    }
}
