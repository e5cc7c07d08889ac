package io.stele.connector;

import static io.trino.testing.assertions.Assert.assertEventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testing.LongRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What queries see of sidecars that are away, stop and come back, or are not theirs. */
@ExtendWith(SteleCluster.Shared.class)
final class SteleOutagesIT {
    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleOutagesIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    @Test
    void aQueryWaitsForASidecarThatIsAway() throws Exception {
        SidecarFixture own = cluster.newSidecar("away", Map.of("stele.outage-timeout", "3m"));
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            queries.run("CREATE TABLE away.s.t (k bigint)");
            own.stop();
            Future<?> insert =
                    threads.submit(() -> queries.update("INSERT INTO away.s.t VALUES 1"));
            Future<Long> count =
                    threads.submit(() -> queries.count("SELECT count(*) FROM tpch.tiny.nation"));
            assertThat(count.get(120, TimeUnit.SECONDS)).isEqualTo(25L);
            own.startAgain();
            insert.get(120, TimeUnit.SECONDS);
            assertThat(queries.count("SELECT count(*) FROM away.s.t")).isEqualTo(1);
        } finally {
            queries.run("DROP CATALOG away");
            own.close();
        }
    }

    static List<Integer> idleSeconds() {
        return LongRun.combinations(List.of(0), List.of(30, 120));
    }

    /**
     * What begins while a killed sidecar is away waits for it. A second one is away all the while
     * without any query: the first one after that must not wait for the next attempt of a
     * connection whose attempts have failed, which comes the later, the longer the outage was.
     */
    @ParameterizedTest
    @MethodSource("idleSeconds")
    void queriesThatBeginWhileASidecarIsKilledSucceed(int seconds) throws Exception {
        String catalog = "killed_" + seconds;
        String idle = "idle_" + seconds;
        Map<String, String> patient = Map.of("stele.outage-timeout", "3m");
        try (KilledSidecar killed = cluster.newSidecarProcess(catalog, patient);
                KilledSidecar forgotten = cluster.newSidecarProcess(idle, patient);
                ExecutorService threads = Executors.newFixedThreadPool(3)) {
            for (String each : List.of(catalog, idle)) {
                queries.run("CREATE TABLE %s.s.t AS SELECT 1 AS k".formatted(each));
            }
            forgotten.kill();
            killed.kill();
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(seconds));
            String table = catalog + ".s.t";
            Future<Long> count =
                    threads.submit(() -> queries.count("SELECT count(*) FROM %s".formatted(table)));
            Future<Long> insert =
                    threads.submit(
                            () -> queries.update("INSERT INTO %s VALUES 2".formatted(table)));
            Future<?> create =
                    threads.submit(
                            () -> queries.run("CREATE TABLE %s.s.u (k bigint)".formatted(catalog)));
            awaitOpen(catalog, 3);
            killed.startAgain();
            assertThat(count.get(120, TimeUnit.SECONDS)).isIn(1L, 2L);
            assertThat(insert.get(120, TimeUnit.SECONDS)).isEqualTo(1);
            create.get(120, TimeUnit.SECONDS);
            assertThat(queries.count("SELECT count(*) FROM " + table)).isEqualTo(2);

            forgotten.startAgain();
            long start = System.nanoTime();
            assertThat(queries.count("SELECT count(*) FROM %s.s.t".formatted(idle))).isEqualTo(1);
            queries.update("INSERT INTO %s.s.t VALUES 2".formatted(idle));
            // A process that has just started loads classes; after the longest outage gRPC's own
            // next
            // attempt is some 50 s away
            assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(30));
        } finally {
            queries.run("DROP CATALOG IF EXISTS " + catalog);
            queries.run("DROP CATALOG IF EXISTS " + idle);
        }
    }

    /** Waits until so many statements of a catalog have begun and have not ended. */
    private void awaitOpen(String catalog, int statements) {
        String sql =
                "SELECT count(*) FROM system.runtime.queries WHERE state NOT IN ('QUEUED', 'FINISHED', 'FAILED') AND query LIKE '%%%s.s.%%' AND query NOT LIKE '%%runtime%%'"
                        .formatted(catalog);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
        while (queries.count(sql) < statements) {
            assertThat(System.nanoTime()).as(sql).isLessThan(deadline);
        }
    }

    @Test
    void aStoppedSidecarIsNamed() {
        SidecarFixture own = cluster.newSidecar("stopped", Map.of("stele.outage-timeout", "1s"));
        try {
            queries.run("CREATE TABLE stopped.s.t (k bigint)");
            queries.update("INSERT INTO stopped.s.t VALUES 1");
            own.stop();
            assertThat(queries.failure("SELECT * FROM stopped.s.t"))
                    .hasMessageContaining("Cannot reach the Stele sidecar at " + own.uri());
            assertThat(queries.failure("INSERT INTO stopped.s.t VALUES 2"))
                    .hasMessageContaining("Cannot reach the Stele sidecar at " + own.uri());
            own.startAgain();
            // Nobody waits longer than a second for this sidecar, also while its port is new
            assertEventually(
                    () ->
                            assertThat(queries.count("SELECT count(*) FROM stopped.s.t"))
                                    .isEqualTo(1));
        } finally {
            queries.run("DROP CATALOG stopped");
            own.close();
        }
    }

    @Test
    void aRestartInMidQueryFailsItClearlyOrNotAtAll() throws Exception {
        SidecarFixture own = cluster.newSidecar("bounced", Map.of());
        try {
            queries.run(
                    "CREATE TABLE bounced.s.t WITH (primary_key = ARRAY['orderkey', 'linenumber']) AS SELECT * FROM tpch.tiny.lineitem");
            long expected = queries.count("SELECT count(*) FROM tpch.tiny.lineitem");
            try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
                Future<?> reader =
                        threads.submit(
                                () -> {
                                    for (int i = 0; i < 10; i++) {
                                        try {
                                            assertThat(
                                                            queries.count(
                                                                    "SELECT count(DISTINCT comment || CAST(orderkey AS varchar) || CAST(linenumber AS varchar)) FROM bounced.s.t"))
                                                    .isEqualTo(expected);
                                        } catch (RuntimeException e) {
                                            assertThat(String.valueOf(e.getMessage()))
                                                    .matches(
                                                            "(?s).*(Stele sidecar|Expected an? (open )?snapshot).*");
                                        }
                                    }
                                    return null;
                                });
                Future<?> restarts =
                        threads.submit(
                                () -> {
                                    for (int i = 0; i < 2; i++) {
                                        own.restart();
                                    }
                                    return null;
                                });
                restarts.get(120, TimeUnit.SECONDS);
                reader.get(120, TimeUnit.SECONDS);
            }
            assertThat(queries.count("SELECT count(*) FROM bounced.s.t")).isEqualTo(expected);
        } finally {
            queries.run("DROP CATALOG bounced");
            own.close();
        }
    }

    @Test
    void aWrongSecretIsSaidSo() {
        cluster.runner()
                .createCatalog(
                        "wrong",
                        "stele",
                        Map.of(
                                "stele.sidecar.uri",
                                cluster.sidecar().uri(),
                                "stele.shared-secret",
                                "not the secret of the sidecar"));
        try {
            assertThat(queries.failure("SHOW SCHEMAS FROM wrong"))
                    .hasMessageMatching("(?s).*(token|secret).*");
        } finally {
            queries.run("DROP CATALOG wrong");
        }
    }

    /** Where the catalog cannot be read nothing is served but what says so. */
    @Test
    void aSidecarWithoutACatalogSaysWhatIsDamaged() throws Exception {
        SidecarFixture own = cluster.newSidecar("without_catalog", Map.of());
        try (own) {
            queries.run("CREATE TABLE without_catalog.s.t (a bigint)");
            queries.update("INSERT INTO without_catalog.s.t VALUES 7");
            own.stop();
            Path newest;
            try (Stream<Path> versions = Files.list(own.warehouse().resolve("catalog"))) {
                newest = versions.max(Comparator.naturalOrder()).orElseThrow();
            }
            byte[] good = Files.readAllBytes(newest);
            byte[] damaged = good.clone();
            damaged[damaged.length / 2] ^= 1;
            Files.write(newest, damaged);
            own.startAgain();
            String object = "catalog/" + newest.getFileName();
            assertThat(
                            queries.value(
                                    "SELECT object FROM without_catalog.system.damaged WHERE shard IS NULL AND table_name IS NULL"))
                    .isEqualTo(object);
            assertThat(queries.failure("SELECT a FROM without_catalog.s.t"))
                    .hasMessageContaining(object);
            assertThat(queries.failure("CREATE TABLE without_catalog.s.other (a bigint)"))
                    .hasMessageContaining(object);

            own.stop();
            Files.write(newest, good);
            own.startAgain();
            assertThat(queries.value("SELECT a FROM without_catalog.s.t")).isEqualTo(7L);
        } finally {
            queries.run("DROP CATALOG without_catalog");
        }
    }
}
