package io.stele.connector;

import static io.trino.testing.assertions.Assert.assertEventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.stele.testing.LongRun;
import io.trino.Session;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedResult;
import io.trino.testing.MaterializedRow;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Two coordinators with one sidecar, one of them behind a proxy, and a catalog that keeps no
 * metadata as the oracle.
 */
@ExtendWith(SteleCluster.Shared.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SteleMetadataCacheIT {
    private static final String KEEPING = "metadata_kept"; // on both coordinators
    private static final String ASKING = "metadata_asked"; // the oracle

    private final DistributedQueryRunner here;
    private final DistributedQueryRunner there;
    private final SidecarFixture sidecar;
    private final SidecarProxy proxy;

    SteleMetadataCacheIT(SteleCluster cluster) throws Exception {
        here = cluster.runner();
        sidecar = cluster.newSidecar(ASKING, Map.of("stele.metadata-cache.enabled", "false"));
        proxy = new SidecarProxy(sidecar.uri());
        here.createCatalog(
                KEEPING,
                "stele",
                ImmutableMap.of(
                        "stele.sidecar.uri",
                        proxy.uri(),
                        "stele.shared-secret",
                        SidecarFixture.SECRET));
        there = SteleCluster.queryRunner(0);
        there.createCatalog(KEEPING, "stele", sidecar.catalogProperties());
    }

    @AfterAll
    void close() throws Exception {
        there.close();
        here.execute("DROP CATALOG " + KEEPING);
        here.execute("DROP CATALOG " + ASKING);
        proxy.close();
        sidecar.close();
    }

    private static String kept(String name) {
        return KEEPING + ".s." + name;
    }

    private List<String> columns(DistributedQueryRunner runner, String name) {
        return runner.execute("DESCRIBE " + kept(name)).getMaterializedRows().stream()
                .map(row -> (String) row.getField(0))
                .toList();
    }

    private long metadata(String column) {
        return layer("metadata", column);
    }

    /** A value of this coordinator's row of a layer in {@code system.caches}. */
    private long layer(String layer, String column) {
        return (long)
                here.execute(
                                "SELECT %s FROM %s.system.caches WHERE layer = '%s'"
                                        .formatted(column, KEEPING, layer))
                        .getOnlyValue();
    }

    @Test
    void eachCoordinatorSeesTheOthersChangesAtOnce() {
        here.execute("CREATE TABLE " + kept("turns") + " (a bigint)");
        for (int turn = 0; turn < 5; turn++) {
            DistributedQueryRunner one = turn % 2 == 0 ? here : there;
            DistributedQueryRunner other = turn % 2 == 0 ? there : here;
            one.execute("ALTER TABLE %s ADD COLUMN c%d varchar".formatted(kept("turns"), turn));
            other.execute("INSERT INTO %s (a, c%d) VALUES (1, 'x')".formatted(kept("turns"), turn));
            assertThat(columns(one, "turns")).isEqualTo(columns(other, "turns")).hasSize(turn + 2);
            assertThat(
                            one.execute("SELECT count(c%d) FROM %s".formatted(turn, kept("turns")))
                                    .getOnlyValue())
                    .isEqualTo(1L);
        }
        there.execute("ALTER TABLE " + kept("turns") + " RENAME TO s.turned");
        assertThat(here.execute("SELECT count(*) FROM " + kept("turned")).getOnlyValue())
                .isEqualTo(5L);
        assertThat(here.execute("SHOW TABLES FROM " + KEEPING + ".s").getOnlyColumnAsSet())
                .contains("turned")
                .doesNotContain("turns");
        here.execute("DROP TABLE " + kept("turned"));
    }

    @Test
    void aTableMadeAnewUnderItsNameIsTheNewOne() {
        for (int turn = 0; turn < 4; turn++) {
            DistributedQueryRunner one = turn % 2 == 0 ? here : there;
            DistributedQueryRunner other = turn % 2 == 0 ? there : here;
            one.execute("CREATE TABLE %s AS SELECT %d AS c%d".formatted(kept("anew"), turn, turn));
            assertThat(other.execute("SELECT * FROM " + kept("anew")).getOnlyValue())
                    .isEqualTo(turn);
            assertThat(columns(other, "anew")).containsExactly("c" + turn);
            assertThat(one.execute("SELECT * FROM " + kept("anew")).getOnlyValue()).isEqualTo(turn);
            other.execute("DROP TABLE " + kept("anew"));
            assertThat(one.execute("SHOW TABLES FROM " + KEEPING + ".s").getOnlyColumnAsSet())
                    .doesNotContain("anew");
            assertThat(
                            one.execute(
                                            "CREATE TABLE IF NOT EXISTS %s (x int)"
                                                    .formatted(kept("anew")))
                                    .getUpdateType())
                    .contains("CREATE TABLE");
            assertThat(columns(other, "anew")).containsExactly("x");
            other.execute("DROP TABLE " + kept("anew"));
        }
    }

    @Test
    void queriesOfKnownTablesAskForNoMetadata() {
        here.execute("CREATE TABLE " + kept("known_a") + " AS SELECT 1 AS k, 2 AS v");
        here.execute("CREATE TABLE " + kept("known_b") + " AS SELECT 1 AS k, 3 AS v");
        here.execute(
                "CREATE VIEW %s AS SELECT a.v + b.v AS v FROM %s a JOIN %s b USING (k)"
                        .formatted(kept("known_v"), kept("known_a"), kept("known_b")));
        String query = "SELECT v FROM " + kept("known_v");
        here.execute(query);
        here.execute(query);
        metadata("requests"); // whatever asking for it costs at first
        // Statistics of the new tables may come a moment later, and are asked for once more
        assertEventually(
                () -> {
                    long requests = metadata("requests");
                    long saved = metadata("requests_saved");
                    for (int round = 0; round < 5; round++) {
                        assertThat(here.execute(query).getOnlyValue()).isEqualTo(5);
                    }
                    assertThat(metadata("requests")).isEqualTo(requests);
                    assertThat(metadata("requests_saved") - saved).isGreaterThanOrEqualTo(15);
                });
        here.execute("DROP VIEW " + kept("known_v"));
        here.execute("DROP TABLE " + kept("known_a"));
        here.execute("DROP TABLE " + kept("known_b"));
    }

    @Test
    void scansOfKnownTablesAskForNoPlan() {
        here.execute(
                "CREATE TABLE %s WITH (primary_key = ARRAY['k']) AS SELECT n AS k, n %% 10 AS v FROM UNNEST(sequence(1, 1000)) u (n)"
                        .formatted(kept("planned_a")));
        here.execute("CREATE TABLE " + kept("planned_b") + " AS SELECT BIGINT '3' AS v, 30 AS w");
        String query =
                "SELECT count(*), max(w) FROM %s JOIN %s USING (v) WHERE k <= %%d"
                        .formatted(kept("planned_a"), kept("planned_b"));
        here.execute(query.formatted(1_000));
        here.execute(query.formatted(1_000)); // now it is known what such queries scan
        long requests = layer("plans", "requests");
        for (int turn = 1; turn <= 5; turn++) {
            assertThat(rows(query.formatted(100 * turn)))
                    .containsExactly(new MaterializedRow(List.of(10L * turn, 30)));
            // Also if rows come and go between: the plan then comes with the snapshot
            there.execute(
                    "INSERT INTO %s VALUES (%d, 5), (%d, 6)"
                            .formatted(kept("planned_a"), 2_000 + turn, 3_000 + turn));
            there.execute("DELETE FROM %s WHERE k = %d".formatted(kept("planned_a"), 1_000 - turn));
            if (turn == 3) {
                sidecar.flush("s", "planned_a");
            }
        }
        assertThat(layer("plans", "requests")).isEqualTo(requests);
        assertThat(rows("SELECT count(*) FROM " + kept("planned_a")))
                .containsExactly(new MaterializedRow(List.of(1_005L)));
        here.execute("DROP TABLE " + kept("planned_a"));
        here.execute("DROP TABLE " + kept("planned_b"));
    }

    @Test
    void flushedMetadataIsAskedForAgain() {
        here.execute("CREATE TABLE " + kept("flushed") + " AS SELECT 1 AS k");
        here.execute("TABLE " + kept("flushed"));
        for (String arguments : List.of("", "schema_name => 's', table_name => 'flushed'")) {
            metadata("requests");
            long requests = metadata("requests");
            here.execute("TABLE " + kept("flushed"));
            assertThat(metadata("requests")).isEqualTo(requests);
            here.execute("CALL %s.system.flush_metadata_cache(%s)".formatted(KEEPING, arguments));
            here.execute("TABLE " + kept("flushed"));
            assertThat(metadata("requests")).isGreaterThan(requests);
        }
        here.execute("DROP TABLE " + kept("flushed"));
    }

    @Test
    void aSessionThatWantsNothingKeptAsks() {
        here.execute("CREATE TABLE " + kept("asked") + " AS SELECT 1 AS k");
        here.execute("TABLE " + kept("asked"));
        metadata("reads");
        long reads = metadata("reads");
        long perQuery = metadata("reads") - reads; // of the question itself
        reads = metadata("reads");
        here.execute(
                Session.builder(here.getDefaultSession())
                        .setCatalogSessionProperty(KEEPING, "metadata_cache_enabled", "false")
                        .build(),
                "TABLE " + kept("asked"));
        assertThat(metadata("reads") - reads).isEqualTo(perQuery);
        here.execute("DROP TABLE " + kept("asked"));
    }

    @Test
    void changesAreLoadedBeforeAQueryWantsThem() {
        here.execute("CREATE TABLE " + kept("pushed") + " (a bigint)");
        boolean isFound = false;
        for (int turn = 1; turn <= 10 && !isFound; turn++) {
            here.execute("TABLE " + kept("pushed"));
            here.execute("TABLE " + kept("pushed")); // used, so worth to be loaded again
            await(() -> jmx("Watching").equals(true));
            long reloads = (long) jmx("Reloads");
            there.execute("ALTER TABLE %s ADD COLUMN b%d bigint".formatted(kept("pushed"), turn));
            await(() -> (long) jmx("Reloads") > reloads);
            long misses = (long) jmx("Misses");
            assertThat(columns(here, "pushed")).hasSize(turn + 1).contains("b" + turn);
            assertThat(
                            here.execute(
                                            "SELECT count(b%d) FROM %s"
                                                    .formatted(turn, kept("pushed")))
                                    .getOnlyValue())
                    .isEqualTo(0L);
            // Or the sidecar told of columns and of statistics one after the other
            isFound = (long) jmx("Misses") == misses;
        }
        assertThat(isFound).isTrue();
        here.execute("DROP TABLE " + kept("pushed"));
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    /**
     * Of the first node in this JVM with the catalog, which is the coordinator behind the proxy.
     */
    private static Object jmx(String attribute) {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            return server.getAttribute(
                    new ObjectName("stele:type=metadata_cache,catalog=" + KEEPING), attribute);
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void withTheStreamCutQueriesHearOfChangesThemselves() {
        here.execute("CREATE TABLE " + kept("cut") + " (c0 bigint)");
        int cut = 0;
        for (int turn = 1; turn < 8; turn++) {
            cut += proxy.cut();
            there.execute("ALTER TABLE %s ADD COLUMN c%d bigint".formatted(kept("cut"), turn));
            there.execute("INSERT INTO %s (c%d) VALUES (7)".formatted(kept("cut"), turn));
            assertThat(
                            here.execute("SELECT sum(c%d) FROM %s".formatted(turn, kept("cut")))
                                    .getOnlyValue())
                    .isEqualTo(7L);
            cut += proxy.cut();
            assertThat(columns(here, "cut")).hasSize(turn + 1);
        }
        assertThat(cut).isGreaterThan(0);
        here.execute("DROP TABLE " + kept("cut"));
    }

    @Test
    void aRestartedSidecarIsAsked() {
        here.execute("CREATE TABLE " + kept("restarted") + " AS SELECT 1 AS k");
        here.execute("TABLE " + kept("restarted"));
        sidecar.restart();
        there.execute("ALTER TABLE " + kept("restarted") + " ADD COLUMN l bigint");
        assertThat(columns(here, "restarted")).containsExactly("k", "l");
        assertThat(here.execute("SELECT k FROM " + kept("restarted")).getOnlyValue()).isEqualTo(1);
        here.execute("DROP TABLE " + kept("restarted"));
    }

    @Test
    void whateverIsDoneWhereKeptMetadataIsAsAskedFor() {
        long seed = Long.getLong("simulation.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        Map<String, Integer> tables = new TreeMap<>(); // columns that were ever added
        Map<String, Integer> views = new TreeMap<>();
        for (int step = 0; step < LongRun.count(8, 20); step++) {
            String what = "seed " + seed + ", step " + step;
            boolean isHere = random.nextInt(3) > 0;
            String catalog = isHere && random.nextBoolean() ? ASKING : KEEPING;
            String sql = statement(random, catalog + ".s.", tables, views);
            (isHere ? here : there).execute(sql);
            for (String name : names(tables, views)) {
                assertThat(rows("TABLE " + KEEPING + ".s." + name))
                        .as(what + " after " + sql)
                        .containsExactlyInAnyOrderElementsOf(
                                rows("TABLE " + ASKING + ".s." + name));
            }
            maintain(random, tables);
            for (String name : tables.keySet()) {
                String some =
                        "SELECT * FROM %%s.s.%s WHERE id BETWEEN %d AND %d"
                                .formatted(name, random.nextInt(500_000), 500_000);
                assertThat(rows(some.formatted(KEEPING)))
                        .as(what + " after " + sql + ", " + some)
                        .containsExactlyInAnyOrderElementsOf(rows(some.formatted(ASKING)));
                assertThat(rows("SHOW STATS FOR " + KEEPING + ".s." + name))
                        .as(what + " after " + sql)
                        .isEqualTo(rows("SHOW STATS FOR " + ASKING + ".s." + name));
            }
            String listing =
                    "SELECT table_name, column_name, data_type FROM %s.information_schema.columns WHERE table_schema = 's'";
            assertThat(rows(listing.formatted(KEEPING)))
                    .as(what + " after " + sql)
                    .containsExactlyInAnyOrderElementsOf(rows(listing.formatted(ASKING)));
        }
        views.keySet().forEach(name -> here.execute("DROP VIEW " + kept(name)));
        tables.keySet().forEach(name -> here.execute("DROP TABLE " + kept(name)));
    }

    /** Changes where rows are, or forgets whatever is in memory. */
    private void maintain(SplittableRandom random, Map<String, Integer> tables) {
        int choice = random.nextInt(8);
        for (String name : tables.keySet()) {
            if (choice <= 2) {
                sidecar.flush("s", name);
            }
            if (choice == 2) {
                sidecar.compact("s", name);
            }
        }
        if (choice == 3) {
            sidecar.restart();
        }
    }

    private static List<String> names(Map<String, Integer> tables, Map<String, Integer> views) {
        List<String> names = new ArrayList<>(tables.keySet());
        names.addAll(views.keySet());
        return names;
    }

    private List<MaterializedRow> rows(String sql) {
        MaterializedResult result = here.execute(sql);
        return result.getMaterializedRows();
    }

    /** A statement that succeeds, noted in the models. */
    private static String statement(
            SplittableRandom random,
            String schema,
            Map<String, Integer> tables,
            Map<String, Integer> views) {
        String table = "r" + random.nextInt(3);
        String view = "v" + random.nextInt(2);
        if (random.nextInt(8) == 0) {
            if (views.remove(view) != null) {
                return "DROP VIEW " + schema + view;
            }
            views.put(view, 1);
            return "CREATE VIEW %s%s AS SELECT %d AS n".formatted(schema, view, random.nextInt(9));
        }
        Integer columns = tables.get(table);
        if (columns == null) {
            tables.put(table, 1);
            return random.nextBoolean()
                    ? "CREATE TABLE %s%s (id bigint, c1 bigint)".formatted(schema, table)
                    : "CREATE TABLE %s%s WITH (primary_key = ARRAY['id']) AS SELECT * FROM (VALUES (BIGINT '1', BIGINT '2')) x (id, c1)"
                            .formatted(schema, table);
        }
        switch (random.nextInt(8)) {
            case 0 -> {
                tables.remove(table);
                return "DROP TABLE " + schema + table;
            }
            case 1 -> {
                tables.put(table, columns + 1);
                return "ALTER TABLE %s%s ADD COLUMN c%d bigint"
                        .formatted(schema, table, columns + 1);
            }
            case 2 -> {
                return "DELETE FROM %s%s WHERE id %% 3 = %d"
                        .formatted(schema, table, random.nextInt(3));
            }
            case 3 -> {
                return "COMMENT ON TABLE %s%s IS 'step %d'"
                        .formatted(schema, table, random.nextInt(100));
            }
            case 4 -> {
                return "TRUNCATE TABLE " + schema + table;
            }
            default -> {
                int from = random.nextInt(1_000_000);
                return "INSERT INTO %s%s (id, c1) SELECT n, n %% 7 FROM UNNEST(sequence(%d, %d)) u (n)"
                        .formatted(schema, table, from, from + random.nextInt(200));
            }
        }
    }
}
