package io.stele.connector;

import static io.stele.connector.SameRows.assertSameRows;
import static io.trino.testing.assertions.Assert.assertEventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.trino.Session;
import io.trino.testing.MaterializedRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Kept results of files as users meet them: what is found, shown, and left of it by a restart. */
@ExtendWith(SteleCluster.Shared.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SteleAggregateCacheIT {
    private static final String CATALOG = "fragments";

    private final SteleCluster cluster;
    private SidecarFixture sidecar;
    private Path directory;

    SteleAggregateCacheIT(SteleCluster cluster) {
        this.cluster = cluster;
    }

    @BeforeAll
    void start(@TempDir Path folder) {
        directory = folder;
        sidecar =
                cluster.newSidecar(
                        CATALOG,
                        Map.of(),
                        Map.of("stele.fragment-cache.directory", directory.toString()));
    }

    @AfterAll
    void stop() {
        cluster.runner().execute("DROP CATALOG " + CATALOG);
        sidecar.close();
    }

    private List<MaterializedRow> run(String sql) {
        return cluster.runner().execute(session(Map.of()), sql).getMaterializedRows();
    }

    private Session session(Map<String, String> properties) {
        Session.SessionBuilder session =
                Session.builder(cluster.runner().getDefaultSession())
                        .setCatalog(CATALOG)
                        .setSchema("s");
        properties.forEach(
                (name, value) -> session.setCatalogSessionProperty(CATALOG, name, value));
        return session.build();
    }

    private void assertSameAsEngine(String sql) {
        Session byEngine = session(Map.of("aggregation_pushdown_enabled", "false"));
        assertSameRows(
                sql, run(sql), cluster.runner().execute(byEngine, sql).getMaterializedRows());
    }

    /** What a scan of a query says of itself. */
    private long metric(Session session, String sql, String name) {
        String text =
                (String)
                        cluster.runner()
                                .execute(session, "EXPLAIN ANALYZE VERBOSE " + sql)
                                .getOnlyValue();
        Matcher found =
                Pattern.compile("'%s' = LongCount\\{total=(\\d+)}".formatted(name)).matcher(text);
        assertThat(found.find()).as(text).isTrue();
        return Long.parseLong(found.group(1));
    }

    private long metric(String sql, String name) {
        return metric(session(Map.of()), sql, name);
    }

    private List<Object> caches(String process, String table, String columns) {
        return run("SELECT %s FROM system.caches WHERE layer = 'fragments' AND process = '%s' AND table_name = 's.%s'"
                        .formatted(columns, process, table))
                .getFirst()
                .getFields();
    }

    @Test
    void resultsOfTheSidecarAreSeenAndOutliveIt() throws IOException {
        String table = SteleQueries.newTable("kept");
        run(
                "CREATE TABLE %s (id bigint, v bigint, g varchar) WITH (primary_key = ARRAY['id'], shard_count = 2)"
                        .formatted(table));
        run(
                "INSERT INTO %s SELECT orderkey, custkey, orderstatus FROM tpch.tiny.orders"
                        .formatted(table));
        sidecar.flush("s", table);
        String sql = "SELECT g, sum(v), count(*) FROM %s WHERE v > 100 GROUP BY g".formatted(table);
        assertSameAsEngine(sql);
        assertThat(caches("sidecar", table, "hits, misses, entries, mismatches"))
                .isEqualTo(List.of(0L, 2L, 2L, 0L));
        assertThat(metric(sql, "Cached results found")).isEqualTo(2);
        assertThat(metric(sql, "Cached results computed")).isZero();
        assertThat(metric(sql, "Cached bytes found")).isPositive();
        assertThat(
                        caches(
                                "sidecar",
                                table,
                                "hits, misses, hit_bytes > 0, memory_bytes > 0, memory_bytes <= max_memory_bytes"))
                .isEqualTo(List.of(6L, 2L, true, true, true));
        Session off = session(Map.of("fragment_cache_enabled", "false"));
        assertThat(metric(off, sql, "Cached results found")).isZero();
        assertThat(metric(off, sql, "Cached results computed")).isZero();

        sidecar.restart();
        // What is loaded late is computed again by those who ask before
        assertEventually(
                () -> assertThat(caches("sidecar", table, "entries")).isEqualTo(List.of(2L)));
        assertSameAsEngine(sql);
        assertThat(metric(sql, "Cached results found")).isEqualTo(2);
        assertThat(caches("sidecar", table, "hits, misses")).isEqualTo(List.of(4L, 0L));

        // A damaged log is told and computed again
        sidecar.stop();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(log -> log.toString().endsWith(".log")).toList()) {
                byte[] bytes = Files.readAllBytes(file);
                bytes[Math.min(bytes.length - 1, 40)] ^= 1;
                Files.write(file, bytes);
            }
        }
        sidecar.startAgain();
        assertSameAsEngine(sql);
        assertThat(caches("sidecar", table, "misses")).isEqualTo(List.of(2L));
    }

    @Test
    void everyLayerHasARow() {
        assertThat(
                        run("SELECT DISTINCT layer FROM system.caches WHERE table_name IS NULL")
                                .stream()
                                .map(row -> row.getField(0)))
                .containsAll(
                        Arrays.asList(
                                "footers",
                                "fresh_footers",
                                "columns",
                                "fragments",
                                "metadata",
                                "plans",
                                "file_lists",
                                "row_groups"));
    }

    @Test
    void layersInMemoryTellWhatTheySaved() {
        String table = SteleQueries.newTable("saved");
        run(
                "CREATE TABLE %s (id bigint, v bigint) WITH (primary_key = ARRAY['id'], shard_count = 1)"
                        .formatted(table));
        run("INSERT INTO %s SELECT orderkey, custkey FROM tpch.tiny.orders".formatted(table));
        sidecar.flush("s", table);
        for (int round = 0; round < 3; round++) {
            // A lookup in the sidecar; an aggregation there of other rows each time; a scan here
            assertThat(run("SELECT v FROM %s WHERE id = 7".formatted(table))).hasSize(1);
            run("SELECT sum(v) FROM %s WHERE v > %d".formatted(table, round));
            assertThat(run("SELECT id FROM " + table)).hasSize(15_000);
        }
        assertThat(
                        run(
                                "SELECT layer FROM system.caches WHERE table_name IS NULL AND layer NOT IN ('fresh_footers', 'data_pages') AND (hit_bytes IS NULL OR saved_ms IS NULL)"))
                .as("layers that do not tell what they saved")
                .isEmpty();
        for (String layer :
                Arrays.asList("metadata", "plans", "footers", "columns", "decoded_columns")) {
            assertThat(
                            run("SELECT sum(hits) > 0, sum(hit_bytes) > 0 FROM system.caches WHERE table_name IS NULL AND layer = '%s'"
                                            .formatted(layer))
                                    .getFirst()
                                    .getFields())
                    .as(layer)
                    .isEqualTo(Arrays.asList(true, true));
        }
    }

    @Test
    void layersOfWorkersMemoryAreToldByTable() {
        String table = SteleQueries.newTable("told");
        run("CREATE TABLE %s (id bigint, v bigint) WITH (shard_count = 2)".formatted(table));
        run("INSERT INTO %s SELECT orderkey, custkey FROM tpch.tiny.orders".formatted(table));
        sidecar.flush("s", table);
        for (String layer : Arrays.asList("footers", "columns")) {
            // A cache that other tests have filled admits what is asked for often enough
            assertEventually(
                    () -> {
                        assertThat(run("SELECT id, v FROM " + table)).hasSize(15_000);
                        assertThat(
                                        run("SELECT sum(hits) > 0, sum(misses) > 0, sum(hit_bytes) > 0, min(saved_ms) >= 0, sum(reads) = sum(hits + misses) FROM system.caches WHERE layer = '%s' AND table_name = 's.%s'"
                                                        .formatted(layer, table))
                                                .getFirst()
                                                .getFields())
                                .as(layer)
                                .isEqualTo(Arrays.asList(true, true, true, true, true));
                    });
        }
        run("CALL system.flush_metadata_cache()");
        assertThat(
                        run("SELECT sum(invalidated) > 0 FROM system.caches WHERE layer = 'metadata'")
                                .getFirst()
                                .getField(0))
                .isEqualTo(true);
        assertThat(
                        run(
                                "SELECT layer FROM system.caches WHERE table_name IS NULL AND (evictions IS NULL OR layer <> 'fragments' AND invalidated IS NULL)"))
                .as("layers that do not tell why entries left")
                .isEmpty();
        assertThat(
                        run("SELECT version_age_ms >= 0 FROM system.caches WHERE layer = 'metadata'")
                                .getFirst()
                                .getField(0))
                .isEqualTo(true);
    }
}
