package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.testing.FreePorts;
import io.stele.testing.LongRun;
import io.trino.Session;
import io.trino.testing.MaterializedRow;
import io.trino.testing.QueryFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Snapshots under concurrent writes, and statements and jobs that are done once, also where an
 * answer is lost.
 */
@ExtendWith(SteleCluster.Shared.class)
final class SteleConsistencyIT {
    private static final int ACCOUNTS = 200;

    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleConsistencyIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    /** The LSN of a write that a client made is enough for SQL to see it. */
    @Test
    void aSessionSeesTheLsnItNames() {
        String table = SteleQueries.newTable("named");
        queries.run(
                "CREATE TABLE %s (id bigint, v bigint) WITH (primary_key = ARRAY['id'])"
                        .formatted(table));
        queries.update("INSERT INTO %s VALUES (1, 1), (2, 2)".formatted(table));
        long lsn = queries.count("SELECT max(\"$lsn\") FROM " + table);
        String sql = "SELECT count(*) FROM " + table;
        assertThat(cluster.runner().execute(seeing(Long.toString(lsn)), sql).getOnlyValue())
                .isEqualTo(2L);
        assertThatThrownBy(
                        () -> cluster.runner().execute(seeing(Long.toString(Long.MAX_VALUE)), sql))
                .hasMessageContaining("Expected a snapshot that sees LSN");
        assertThatThrownBy(() -> cluster.runner().execute(seeing("-1"), sql))
                .hasMessageContaining("Expected an LSN of at least 0");
    }

    private Session seeing(String lsn) {
        Session session = cluster.runner().getDefaultSession();
        return Session.builder(session)
                .setCatalogSessionProperty(session.getCatalog().orElseThrow(), "read_lsn", lsn)
                .build();
    }

    /** Transfers keep the sum; a query that sees half of one, or two moments, does not. */
    @Test
    void aQuerySeesOneMoment() throws Exception {
        String table = SteleQueries.newTable("accounts");
        queries.run(
                "CREATE TABLE %s (id bigint, balance bigint) WITH (primary_key = ARRAY['id'])"
                        .formatted(table));
        queries.update(
                "INSERT INTO %s SELECT i, 1000 FROM UNNEST(sequence(1, %s)) t(i)"
                        .formatted(table, ACCOUNTS));
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong transfers = new AtomicLong();
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<?> writer =
                    threads.submit(
                            () -> {
                                for (int i = 0; !stop.get(); i++) {
                                    int from = i % ACCOUNTS + 1;
                                    int to = (i * 7 + 3) % ACCOUNTS + 1;
                                    if (from != to) {
                                        queries.update(
                                                "UPDATE %s SET balance = balance + IF(id = %s, -1, 1) WHERE id IN (%s, %s)"
                                                        .formatted(table, from, from, to));
                                        transfers.incrementAndGet();
                                    }
                                }
                                return null;
                            });
            try {
                for (int i = 0; i < 15; i++) {
                    if (i == 7) {
                        cluster.sidecar().flush("s", table);
                    }
                    MaterializedRow row =
                            queries.run("SELECT count(*), sum(balance) FROM " + table)
                                    .getMaterializedRows()
                                    .getFirst();
                    assertThat(row.getField(0)).isEqualTo((long) ACCOUNTS);
                    assertThat(row.getField(1)).isEqualTo(ACCOUNTS * 1000L);
                    // Two scans of one query
                    assertThat(
                                    queries.count(
                                            "SELECT count(*) FROM %s a JOIN %s b ON a.id = b.id AND a.balance = b.balance"
                                                    .formatted(table, table)))
                            .isEqualTo(ACCOUNTS);
                }
            } finally {
                stop.set(true);
                writer.get(120, TimeUnit.SECONDS);
            }
        }
        assertThat(transfers.get()).isPositive();
    }

    @Test
    void everyAcknowledgedRowIsInTheNextQuery() {
        String table = SteleQueries.newTable("stream");
        queries.run(
                "CREATE TABLE %s (id bigint, v varchar) WITH (primary_key = ARRAY['id'])"
                        .formatted(table));
        try (SteleClient client = cluster.sidecar().client();
                TableWriter writer = client.writer("s", table)) {
            for (int round = 1; round <= 10; round++) {
                for (int i = 0; i < 50; i++) {
                    writer.write((long) round * 1000 + i, "live");
                }
                writer.flush();
                assertThat(queries.count("SELECT count(*) FROM " + table)).isEqualTo(round * 50L);
                if (round == 5) {
                    cluster.sidecar().flush("s", table);
                }
            }
        }
    }

    @Test
    void whoComesSecondIsToldOfAConflict() throws Exception {
        String table = SteleQueries.newTable("conflict");
        queries.run(
                "CREATE TABLE %s (id bigint, v bigint) WITH (primary_key = ARRAY['id'])"
                        .formatted(table));
        queries.update("INSERT INTO %s VALUES (1, 0)".formatted(table));
        int writers = 4;
        AtomicLong done = new AtomicLong();
        AtomicLong conflicts = new AtomicLong();
        List<Future<?>> ends = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
            for (int i = 0; i < writers; i++) {
                ends.add(
                        threads.submit(
                                () -> {
                                    for (int n = 0; n < 5; n++) {
                                        try {
                                            queries.update(
                                                    "UPDATE %s SET v = v + 1 WHERE id = 1"
                                                            .formatted(table));
                                            done.incrementAndGet();
                                        } catch (QueryFailedException e) {
                                            assertThat(e)
                                                    .hasMessageContaining(
                                                            "conflicts: key (id = 1)");
                                            conflicts.incrementAndGet();
                                        }
                                    }
                                    return null;
                                }));
            }
        }
        for (Future<?> end : ends) {
            end.get();
        }
        // No update is lost: each that reported success counted once
        assertThat(queries.count("SELECT v FROM " + table)).isEqualTo(done.get());
        assertThat(done.get() + conflicts.get()).isEqualTo(writers * 5L);
    }

    @Test
    void rowsOutliveARestart() {
        // At the same ports after a restart, so that clients keep the connections they had
        SidecarFixture own =
                cluster.newSidecar(
                        "restarted",
                        Map.of(),
                        Map.of(
                                "stele.flight.port",
                                Integer.toString(FreePorts.find()),
                                "stele.client.port",
                                Integer.toString(FreePorts.find())));
        try {
            queries.run(
                    "CREATE TABLE restarted.s.t (k bigint, v varchar) WITH (primary_key = ARRAY['k'])");
            queries.update("INSERT INTO restarted.s.t VALUES (1, 'a'), (2, 'b'), (3, 'c')");
            own.restart();
            queries.update("UPDATE restarted.s.t SET v = 'B' WHERE k = 2");
            own.flush("s", "t");
            queries.update("DELETE FROM restarted.s.t WHERE k = 3");
            own.restart();
            queries.assertSame("SELECT * FROM restarted.s.t", "VALUES (BIGINT '1', 'a'), (2, 'B')");
            own.restart();
            queries.update(
                    "MERGE INTO restarted.s.t t USING (VALUES (1, 'A'), (4, 'd')) s(k, v) ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.v)");
            queries.assertSame(
                    "SELECT * FROM restarted.s.t", "VALUES (BIGINT '1', 'A'), (2, 'B'), (4, 'd')");
            // The last answer is of a moment ago, over a connection that is dead
            for (int k = 5; k < LongRun.count(10, 30); k++) {
                own.restart();
                queries.update("INSERT INTO restarted.s.t VALUES (%d, 'e')".formatted(k));
            }
        } finally {
            queries.run("DROP CATALOG restarted");
            own.close();
        }
    }

    /** A commit whose answer does not come is asked for until it does, also of the next sidecar. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCommitIsRepeatedUntilItIsKnown(boolean restart) throws Exception {
        SidecarFixture own = cluster.newSidecar("committed", Map.of());
        try (SidecarProxy proxy = new SidecarProxy(own.uri());
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            createImpatientCatalog(proxy);
            queries.run("CREATE TABLE silenced.s.t (k bigint)"); // no key: a repetition would show
            proxy.silence("commit-transaction");
            Future<?> insert =
                    threads.submit(() -> queries.update("INSERT INTO silenced.s.t VALUES 1, 2"));
            proxy.awaitSilenced(5); // seconds, since no request is longer; earlier versions gave up
            assertThat(insert.isDone()).isFalse();
            if (restart) {
                own.stop();
            }
            proxy.endSilence();
            if (restart) {
                own.startAgain();
            }
            insert.get(120, TimeUnit.SECONDS);
            assertThat(queries.count("SELECT count(*) FROM committed.s.t")).isEqualTo(2);
        } finally {
            queries.run("DROP CATALOG IF EXISTS silenced"); // of one failure others would follow
            queries.run("DROP CATALOG committed");
            own.close();
        }
    }

    /** A statement whose answer is lost is sent again, also to the next sidecar, and done once. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aStatementIsDoneOnceAndItsAnswerFound(boolean restart) throws Exception {
        SidecarFixture own = cluster.newSidecar("defined", Map.of());
        String present =
                "SELECT count(*) FROM defined.information_schema.tables WHERE table_name = ";
        String gone = "SELECT count_if(c = 0) FROM (SELECT count(*) c FROM %s)";
        try (SidecarProxy proxy = new SidecarProxy(own.uri());
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            createImpatientCatalog(proxy);
            LostAnswers lost = new LostAnswers(proxy, own, restart, threads);
            lost.run("create-table", "CREATE TABLE silenced.s.t (k bigint)", present + "'t'", "");
            queries.update("INSERT INTO silenced.s.t VALUES 1");
            lost.run(
                    "alter-table",
                    "ALTER TABLE silenced.s.t ADD COLUMN v varchar",
                    "SELECT count(*) FROM defined.information_schema.columns WHERE column_name = 'v'",
                    "");
            lost.run(
                    "rename-table",
                    "ALTER TABLE silenced.s.t RENAME TO silenced.s.u",
                    present + "'u'",
                    "");
            lost.run(
                    "create-view",
                    "CREATE VIEW silenced.s.w AS SELECT k FROM silenced.s.u",
                    present + "'w'",
                    "");
            queries.assertSame("SELECT * FROM silenced.s.w", "VALUES BIGINT '1'");
            lost.run(
                    "truncate-table",
                    "TRUNCATE TABLE silenced.s.u",
                    gone.formatted("defined.s.u"),
                    "INSERT INTO defined.s.u VALUES (2, 'a')");
            queries.assertSame("SELECT k FROM defined.s.u", "VALUES BIGINT '2'");
            lost.run(
                    "drop-table",
                    "DROP TABLE silenced.s.u",
                    gone.formatted("defined.information_schema.tables WHERE table_name = 'u'"),
                    "CREATE TABLE defined.s.u AS SELECT BIGINT '3' k");
            queries.assertSame("SELECT k FROM defined.s.u", "VALUES BIGINT '3'");
        } finally {
            queries.run("DROP CATALOG IF EXISTS silenced"); // of one failure others would follow
            queries.run("DROP CATALOG defined");
            own.close();
        }
    }

    /** Statements that are done, and whose answers are lost. */
    private final class LostAnswers {
        private final SidecarProxy proxy;
        private final SidecarFixture sidecar;
        private final boolean restart;
        private final ExecutorService threads;

        LostAnswers(
                SidecarProxy proxy,
                SidecarFixture sidecar,
                boolean restart,
                ExecutorService threads) {
            this.proxy = proxy;
            this.sidecar = sidecar;
            this.restart = restart;
            this.threads = threads;
        }

        /**
         * @param done a query whose result is 1 when it is done
         * @param then a statement of another user, which must not be undone; empty: none
         */
        void run(String action, String statement, String done, String then) throws Exception {
            proxy.silence(action);
            Future<?> answer = threads.submit(() -> queries.run(statement));
            try {
                proxy.awaitSilenced(1);
                awaitCount(done);
                if (!then.isEmpty()) {
                    queries.run(then);
                }
                if (restart) {
                    sidecar.stop(); // with its connections, perhaps before they are cut
                }
                int cut = proxy.cut();
                assertThat(restart || cut > 0).isTrue();
            } finally {
                proxy.endSilence();
            }
            if (restart) {
                sidecar.startAgain();
            }
            answer.get(120, TimeUnit.SECONDS);
        }
    }

    /** Of a connection that is cut when the request is done, and of a sidecar that ends then. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDeletionOfPartitionsIsDoneOnceAndItsOutcomeFound(boolean restart) throws Exception {
        SidecarFixture own = cluster.newSidecar("parted", Map.of());
        try (SidecarProxy proxy = new SidecarProxy(own.uri());
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            createImpatientCatalog(proxy);
            queries.run(
                    "CREATE TABLE silenced.s.t (p bigint, v bigint) WITH (partitioned_by = ARRAY['p'])");
            queries.update("INSERT INTO silenced.s.t VALUES (1, 1), (1, 2), (2, 3)");
            proxy.silence("delete-partitions");
            Future<Long> delete =
                    threads.submit(() -> queries.update("DELETE FROM silenced.s.t WHERE p = 1"));
            proxy.awaitSilenced(1);
            awaitCount("SELECT count_if(c = 1) FROM (SELECT count(*) c FROM parted.s.t)");
            // A deletion that is done again would take it
            queries.update("INSERT INTO parted.s.t VALUES (1, 4)");
            if (restart) {
                own.stop(); // with its connections, perhaps before they are cut
            }
            int cut = proxy.cut();
            assertThat(restart || cut > 0).isTrue();
            proxy.endSilence();
            if (restart) {
                own.startAgain();
            }
            // Unknown where this machine takes more than the second of the catalog to count them
            assertThat(delete.get(120, TimeUnit.SECONDS)).isIn(2L, -1L);
            assertThat(queries.column("SELECT v FROM parted.s.t ORDER BY v"))
                    .containsExactly("3", "4");
        } finally {
            queries.run("DROP CATALOG IF EXISTS silenced"); // of one failure others would follow
            queries.run("DROP CATALOG parted");
            own.close();
        }
    }

    /** Its writers wait for rows longer than its lease, which is renewed; they have begun files. */
    static List<Boolean> whetherTheStatementMakesTheTable() {
        return LongRun.combinations(List.of(false), List.of(true));
    }

    @ParameterizedTest
    @MethodSource("whetherTheStatementMakesTheTable")
    void aStatementMayLastLongerThanItsLease(boolean created) throws Exception {
        SidecarFixture target =
                cluster.newSidecar(
                        "leased",
                        Map.of(
                                "stele.transaction.ttl", "12s",
                                "stele.write.direct-threshold", "0B",
                                "stele.write.sort-buffer-size", "1MB"));
        try (SidecarProxy proxy = new SidecarProxy(cluster.sidecar().uri());
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            cluster.runner()
                    .createCatalog(
                            "slow",
                            "stele",
                            Map.of(
                                    "stele.sidecar.uri",
                                    proxy.uri(),
                                    "stele.shared-secret",
                                    SidecarFixture.SECRET));
            String source = SteleQueries.newTable("source");
            queries.run("CREATE TABLE %s (k bigint, v varchar)".formatted(source));
            queries.update("INSERT INTO %s VALUES (-1, 'last')".formatted(source));
            String many = // so that what exchanges hold back is little of it
                    "SELECT (orderkey * 8 + linenumber) * 10 + x AS k, comment AS v FROM tpch.tiny.lineitem CROSS JOIN UNNEST(sequence(0, 9)) u(x) UNION ALL SELECT ";
            String rows = many + "k, v FROM slow.s." + source;
            if (!created) {
                queries.run(
                        "CREATE TABLE leased.s.t (k bigint, v varchar) WITH (primary_key = ARRAY['k'])");
            }
            String write =
                    created
                            ? "CREATE TABLE leased.s.t WITH (primary_key = ARRAY['k']) AS " + rows
                            : "INSERT INTO leased.s.t " + rows;
            proxy.silence("\"mode\":\"LIVE\"");
            Future<Long> written = threads.submit(() -> queries.update(write));
            try {
                proxy.awaitSilenced(1);
                awaitFiles(target);
                // Several times the lease: without a renewal the transaction is gone
                long later = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
                while (System.nanoTime() < later) {
                    assertThat(written.isDone()).isFalse();
                    assertThat(target.dataFiles()).isNotEmpty();
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
                }
            } finally {
                proxy.endSilence();
            }
            assertThat(written.get(120, TimeUnit.SECONDS)).isEqualTo(601_751);
            queries.assertSameContent("SELECT k, v FROM leased.s.t", many + "-1, 'last'", "k, v");
            target.restart();
            assertThat(queries.count("SELECT count(*) FROM leased.s.t")).isEqualTo(601_751);
            queries.run("DROP CATALOG slow");
        } finally {
            queries.run("DROP CATALOG leased");
            target.close();
        }
    }

    private static void awaitFiles(SidecarFixture sidecar) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
        while (sidecar.dataFiles().isEmpty()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    @Test
    void aLongCompactionIsWaitedFor() throws Exception {
        try (SidecarProxy proxy = new SidecarProxy(cluster.sidecar().uri());
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            createImpatientCatalog(proxy);
            String table = "silenced.s." + SteleQueries.newTable("merged");
            queries.run("CREATE TABLE %s (k bigint)".formatted(table));
            queries.update("INSERT INTO %s VALUES 1".formatted(table));
            proxy.silence("run-job");
            Future<?> optimize =
                    threads.submit(
                            () -> queries.run("ALTER TABLE %s EXECUTE optimize".formatted(table)));
            proxy.awaitSilenced(4); // seconds, since no request is longer
            assertThat(optimize.isDone()).isFalse();
            proxy.endSilence();
            optimize.get(120, TimeUnit.SECONDS);
            queries.run("DROP CATALOG silenced");
        }
    }

    /** Compactions that write so slowly that they would take many minutes. */
    @Test
    void aLongCompactionIsAJobThatCanBeCancelled() throws Exception {
        SidecarFixture own =
                cluster.newSidecar(
                        "paced", Map.of(), Map.of("stele.compaction.rate-limit", "10kB"));
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            queries.run(
                    "CREATE TABLE paced.s.t (k bigint, v varchar) WITH (primary_key = ARRAY['k'], orientation = 'row')");
            for (int file = 0; file < 2; file++) {
                queries.update(
                        "INSERT INTO paced.s.t SELECT n, CAST(uuid() AS varchar) FROM UNNEST(sequence(1, 9000)) t(n)");
                queries.run("ALTER TABLE paced.s.t EXECUTE flush");
            }
            String optimize = "ALTER TABLE paced.s.t EXECUTE optimize";
            Future<?> first = threads.submit(() -> queries.run(optimize));
            String open =
                    " FROM paced.system.jobs WHERE kind = 'compact' AND state = 'running' AND schema_name = 's' AND table_name = 't' AND unit = 'bytes'";
            awaitCount("SELECT count(*)" + open + " AND done > 0 AND done < total");
            Future<?> second =
                    threads.submit(() -> queries.run("CALL paced.system.compact('s', 't')"));
            awaitCount("SELECT count(*)" + open + " AND request_count = 2");
            Object job = queries.run("SELECT job_id" + open).getOnlyValue();
            queries.run("CALL paced.system.cancel_job('%s')".formatted(job));
            for (Future<?> statement : List.of(first, second)) {
                assertThatThrownBy(() -> statement.get(120, TimeUnit.SECONDS))
                        .hasMessageContaining(
                                "Job %s (compact of s.t) was cancelled by user".formatted(job));
            }
            assertThat(
                            queries.count(
                                    "SELECT count(*) FROM paced.system.jobs WHERE kind = 'compact' AND state = 'cancelled' AND ended >= started AND failure IS NOT NULL"))
                    .as("both waited for one")
                    .isEqualTo(1);
            assertThat(queries.count("SELECT count(DISTINCT k) FROM paced.s.t")).isEqualTo(9000);
            queries.run("CALL paced.system.cancel_job('%s')".formatted(job)); // it is
            assertThat(queries.failure("CALL paced.system.cancel_job('none')"))
                    .hasMessageContaining("Expected the id of a job");
        } finally {
            queries.run("DROP CATALOG paced");
            own.close();
        }
    }

    private void awaitCount(String sql) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
        while (!isCounted(sql)) {
            assertThat(System.nanoTime()).as(sql).isLessThan(deadline);
        }
    }

    private boolean isCounted(String sql) {
        try {
            return queries.count(sql) > 0;
        } catch (QueryFailedException changed) {
            // A query that begins while the catalog and then the shards take a TRUNCATE on
            assertThat(changed).hasMessageContaining("dropped");
            return false;
        }
    }

    /** One that gives each request a second. */
    private void createImpatientCatalog(SidecarProxy proxy) {
        cluster.runner()
                .createCatalog(
                        "silenced",
                        "stele",
                        Map.of(
                                "stele.sidecar.uri",
                                proxy.uri(),
                                "stele.shared-secret",
                                SidecarFixture.SECRET,
                                "stele.request-timeout",
                                "1s"));
    }

    @Test
    void anOutcomeCanBeAskedFor() {
        assertThat(queries.failure("CALL system.check_commit('1-ffff')"))
                .hasMessageContaining("Expected an open or committed transaction, found '1-ffff'");
    }
}
