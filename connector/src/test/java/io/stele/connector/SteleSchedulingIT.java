package io.stele.connector;

import static io.trino.testing.assertions.Assert.assertEventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.trino.Session;
import io.trino.spi.security.Identity;
import io.trino.testing.MaterializedRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Scheduling groups of a sidecar through SQL: who is in which, what is seen, what is too much. */
@Timeout(300)
@ExtendWith(SteleCluster.Shared.class)
final class SteleSchedulingIT {
    private static final String GROUPS =
            """
            {"groups": [
                {"name": "etl", "shares": 250},
                {"name": "boards", "shares": 3000},
                {"name": "narrow", "maxRunning": 1, "maxQueued": 0}],
             "selectors": [
                {"user": "narrow", "group": "narrow"},
                {"resourceGroup": "global[.]etl", "group": "etl"},
                {"source": "grafana", "group": "boards"}]}
            """;

    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleSchedulingIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    @Test
    void theTableListsGroupsAndPoolsOfTheSidecar() {
        assertThat(queries.column("SHOW SCHEMAS FROM stele")).contains("s", "system");
        assertThat(queries.column("SHOW TABLES FROM stele.system"))
                .containsExactly(
                        "caches",
                        "damaged",
                        "jobs",
                        "queries",
                        "retrieval",
                        "scheduling_groups",
                        "shards",
                        "statements");
        assertThat(
                        queries.column(
                                "SELECT \"group\" FROM stele.system.scheduling_groups WHERE pool = 'contexts'"))
                .containsExactlyInAnyOrder("data-bound", "default", "default.lookups");
        assertThat(
                        queries.column(
                                "SELECT \"group\" FROM stele.system.scheduling_groups WHERE pool <> 'contexts'"))
                .contains("flushing", "merging", "query-reads");
        assertThat(
                        queries.run(
                                        "SELECT shares, entitled_share BETWEEN 0 AND 1, cpu_share BETWEEN 0 AND 1, running, queued, rejected"
                                                + " FROM stele.system.scheduling_groups WHERE \"group\" = 'default'")
                                .getMaterializedRows()
                                .getFirst()
                                .getFields())
                .startsWith(1000L, true, true);
    }

    @Test
    void aQueryIsListedWhileItScans(@TempDir Path folder) throws IOException {
        try (SidecarFixture own = sidecar("stele_listed", folder);
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            // Enough rows for a scan to last longer than a query of the list
            queries.run(
                    "CREATE TABLE stele_listed.s.t WITH (orientation = 'row', primary_key = ARRAY['k']) AS SELECT orderkey * 20 + n AS k, comment FROM tpch.tiny.orders CROSS JOIN UNNEST(sequence(0, 19)) u(n)");
            Session boards =
                    Session.builder(cluster.runner().getDefaultSession())
                            .setIdentity(Identity.ofUser("ann"))
                            .setSource(Optional.of("grafana"))
                            .build();
            List<List<Object>> listed = List.of();
            while (listed.isEmpty()) {
                CompletableFuture<Object> scanning =
                        CompletableFuture.supplyAsync(
                                () ->
                                        cluster.runner()
                                                .execute(
                                                        boards,
                                                        "SELECT count(comment) FROM stele_listed.s.t")
                                                .getOnlyValue(),
                                executor);
                while (listed.isEmpty() && !scanning.isDone()) {
                    listed =
                            queries
                                    .run(
                                            "SELECT q.\"group\", q.\"user\", q.source, q.shares, t.query FROM stele_listed.system.queries q JOIN system.runtime.queries t ON q.query_id = t.query_id WHERE q.contexts > 0")
                                    .getMaterializedRows()
                                    .stream()
                                    .map(MaterializedRow::getFields)
                                    .toList();
                }
                assertThat(scanning.join()).isEqualTo(300_000L);
            }
            assertThat(listed.getFirst())
                    .containsExactly(
                            "boards",
                            "ann",
                            "grafana",
                            1000L,
                            "SELECT count(comment) FROM stele_listed.s.t");
            assertThat(queries.count("SELECT count(*) FROM stele_listed.system.queries")).isZero();
            assertThat(own.uri()).isNotEmpty();
        }
    }

    @Test
    void userSourceAndResourceGroupChooseTheGroup(@TempDir Path folder) throws IOException {
        try (SidecarFixture own = sidecar("stele_groups", folder)) {
            queries.run(
                    "CREATE TABLE stele_groups.s.t AS SELECT nationkey, name FROM tpch.tiny.nation");
            assertThat(switches("stele_groups", "etl")).isZero();
            Session plain = cluster.runner().getDefaultSession();
            cluster.runner().execute(plain, "SELECT * FROM stele_groups.s.t");
            awaitSwitches("default");
            assertThat(switches("stele_groups", "etl")).isZero();

            // What a session property manager sets for the queries of a resource group.
            Session etl =
                    Session.builder(plain)
                            .setCatalogSessionProperty(
                                    "stele_groups", "resource_group", "global.etl")
                            .build();
            cluster.runner().execute(etl, "SELECT * FROM stele_groups.s.t");
            awaitSwitches("etl");
            assertThat(switches("stele_groups", "boards")).isZero();

            Session boards = Session.builder(plain).setSource(Optional.of("grafana")).build();
            cluster.runner().execute(boards, "SELECT * FROM stele_groups.s.t");
            awaitSwitches("boards");
            assertThat(
                            queries.count(
                                    "SELECT shares FROM stele_groups.system.scheduling_groups WHERE \"group\" = 'boards'"))
                    .isEqualTo(3000);
            assertThat(own.uri()).isNotEmpty();
        }
    }

    @Test
    void scansThatAreToldBusyComeAgain(@TempDir Path folder) throws IOException {
        try (SidecarFixture own = sidecar("stele_narrow", folder);
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            queries.run(
                    "CREATE TABLE stele_narrow.s.t WITH (orientation = 'row', primary_key = ARRAY['orderkey']) AS SELECT orderkey, comment FROM tpch.tiny.orders");
            Session narrow =
                    Session.builder(cluster.runner().getDefaultSession())
                            .setIdentity(Identity.ofUser("narrow"))
                            .build();
            long rejected = 0;
            while (rejected == 0) {
                List<CompletableFuture<Object>> counts = new ArrayList<>();
                for (int query = 0; query < 4; query++) {
                    counts.add(
                            CompletableFuture.supplyAsync(
                                    () ->
                                            cluster.runner()
                                                    .execute(
                                                            narrow,
                                                            "SELECT count(comment) FROM stele_narrow.s.t")
                                                    .getOnlyValue(),
                                    executor));
                }
                assertThat(counts).allSatisfy(count -> assertThat(count.join()).isEqualTo(15_000L));
                rejected =
                        queries.count(
                                "SELECT rejected FROM stele_narrow.system.scheduling_groups WHERE \"group\" = 'narrow'");
            }
            assertThat(own.uri()).isNotEmpty();
        }
    }

    private SidecarFixture sidecar(String catalog, Path folder) throws IOException {
        Path groups = folder.resolve("scheduling-groups.json");
        Files.writeString(groups, GROUPS);
        return cluster.newSidecar(
                catalog, Map.of(), Map.of("stele.scheduler.groups-file", groups.toString()));
    }

    private long switches(String catalog, String group) {
        return queries.count(
                "SELECT switches FROM %s.system.scheduling_groups WHERE \"group\" = '%s'"
                        .formatted(catalog, group));
    }

    /** A switch is counted a moment after the last rows have come. */
    private void awaitSwitches(String group) {
        assertEventually(() -> assertThat(switches("stele_groups", group)).isPositive());
    }
}
