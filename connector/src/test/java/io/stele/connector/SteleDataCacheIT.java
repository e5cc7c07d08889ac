package io.stele.connector;

import static io.stele.connector.SameRows.assertSameRows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import io.stele.testing.LiveFolder;
import io.trino.Session;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedRow;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Scans and lookups through the data page caches of a worker and a sidecar, beside the same past
 * them: of one node, since each process has its directories for itself.
 */
@Timeout(1200)
final class SteleDataCacheIT {
    private static final String CATALOG = "stele";
    private static final Pattern READ = metric("Bytes read of files");
    private static final Pattern CACHED = metric("Bytes from the data cache");
    private static final Pattern FETCHED = metric("Bytes fetched from the warehouse");
    private static final Pattern WAITS = metric("Waits for the warehouse");

    @TempDir private Path directory;

    @Test
    void aLocalWarehouseIsReadThroughTheCacheIfAskedFor() throws Exception {
        readsAreThoseOfTheFiles(
                directory,
                Map.of("stele.cache.enabled", "true"),
                Map.of("stele.cache.enabled", "true"),
                7);
    }

    /** Random changes, flushes, compactions, restarts and damaged pages, and reads after each. */
    static void readsAreThoseOfTheFiles(
            Path directory, Map<String, String> ofCatalog, Map<String, String> ofSidecar, long seed)
            throws Exception {
        Random random = new Random(seed);
        try (SidecarFixture sidecar =
                new SidecarFixture(
                        directory.resolve("sidecar"),
                        with(ofSidecar, directory.resolve("sidecar-pages")))) {
            try (DistributedQueryRunner runner =
                    runner(sidecar, with(ofCatalog, directory.resolve("worker-pages")))) {
                runner.execute("CREATE SCHEMA stele.s");
                for (String orientation : List.of("column", "row")) {
                    runner.execute(
                            """
                            CREATE TABLE stele.s.%s (id bigint, v varchar, n double)
                            WITH (primary_key = ARRAY['id'], orientation = '%s', shard_count = 2)
                            """
                                    .formatted(orientation + "s", orientation));
                }
                for (int round = 0; round < 6; round++) {
                    for (String table : List.of("columns", "rows")) {
                        change(runner, table, random);
                        sidecar.flush("s", table);
                        if (round % 3 == 2) {
                            sidecar.compact("s", table);
                        }
                        compare(runner, table, random);
                    }
                    damage(directory, random);
                    if (round == 3) {
                        sidecar.restart();
                    }
                }
                compare(runner, "columns", random);
                assertThat(fetchedBytes(runner)).as("of a scan again").isZero();
                cachesTellWhatTheyDid(runner);
            }
            // Another process finds what this one has left
            try (DistributedQueryRunner runner =
                    runner(sidecar, with(ofCatalog, directory.resolve("worker-pages")))) {
                assertThat(fetchedBytes(runner)).as("of a scan after a restart").isZero();
                compare(runner, "columns", random);
            }
        }
    }

    private static void cachesTellWhatTheyDid(DistributedQueryRunner runner) throws JMException {
        assertThat(
                        runner
                                .execute(
                                        """
                                        SELECT process, table_name,
                                            page_hits > 0 AND hit_bytes > 0 AND requests_saved > 0,
                                            requests > 0 AND fetched_bytes > 0
                                        FROM stele.system.caches
                                        WHERE table_name = 's.columns'
                                        """)
                                .getMaterializedRows()
                                .stream()
                                .map(MaterializedRow::getFields))
                .contains(List.of("worker", "s.columns", true, true))
                .anyMatch(row -> row.getFirst().equals("sidecar"));
        assertThat(
                        runner
                                .execute(
                                        """
                                        SELECT process, pages > 0 AND disk_bytes BETWEEN 1 AND max_disk_bytes,
                                            directories, directories_out
                                        FROM stele.system.caches WHERE table_name IS NULL AND layer IN ('data_pages', 'metadata')
                                        """)
                                .getMaterializedRows()
                                .stream()
                                .map(MaterializedRow::getFields))
                .containsExactlyInAnyOrder(
                        List.of("worker", true, 1L, 0L),
                        List.of("sidecar", true, 1L, 0L),
                        Arrays.asList("coordinator", null, null, null));
        MBeanServer mbeans = ManagementFactory.getPlatformMBeanServer();
        Set<ObjectName> names =
                mbeans.queryNames(
                        new ObjectName("stele:type=data_cache,table=s.columns,catalog=stele"),
                        null);
        assertThat(names).hasSize(1);
        assertThat(mbeans.getAttribute(names.iterator().next(), "PageHits"))
                .asInstanceOf(InstanceOfAssertFactories.LONG)
                .isPositive();
    }

    private static void change(DistributedQueryRunner runner, String table, Random random) {
        int from = random.nextInt(20_000);
        runner.execute(
                "INSERT INTO stele.s.%s SELECT orderkey, clerk || comment, totalprice FROM tpch.tiny.orders WHERE orderkey BETWEEN %d AND %d"
                        .formatted(table, from, from + 20_000));
        runner.execute(
                "UPDATE stele.s.%s SET n = n + %d WHERE id %% 7 = %d"
                        .formatted(table, random.nextInt(100), random.nextInt(7)));
        runner.execute(
                "DELETE FROM stele.s.%s WHERE id %% 11 = %d".formatted(table, random.nextInt(11)));
    }

    private static void compare(DistributedQueryRunner runner, String table, Random random) {
        String all = "SELECT id, v, n FROM stele.s." + table;
        List<MaterializedRow> rows = runner.execute(past(runner), all).getMaterializedRows();
        assertThat(rows).isNotEmpty();
        assertSameRows(all, runner.execute(all).getMaterializedRows(), rows);
        for (int lookup = 0; lookup < 5; lookup++) {
            Object id = rows.get(random.nextInt(rows.size())).getField(0);
            String sql = all + " WHERE id = " + id;
            assertThat(runner.execute(sql).getMaterializedRows())
                    .containsExactlyElementsOf(
                            rows.stream().filter(row -> row.getField(0).equals(id)).toList());
        }
    }

    /** A session that reads files themselves. */
    private static Session past(DistributedQueryRunner runner) {
        return Session.builder(runner.getDefaultSession())
                .setCatalogSessionProperty(CATALOG, "data_cache_enabled", "false")
                .build();
    }

    /** What a scan of some columns had to fetch from the warehouse. */
    static long fetchedBytes(DistributedQueryRunner runner) {
        return fetchedBytes(runner, "sum(n), max(v)", "");
    }

    private static long fetchedBytes(DistributedQueryRunner runner, String wanted, String where) {
        String text =
                (String)
                        runner.execute(
                                        "EXPLAIN ANALYZE VERBOSE SELECT %s FROM stele.s.columns%s"
                                                .formatted(wanted, where))
                                .getOnlyValue();
        long fetched = total(FETCHED, text);
        if (fetched == 0) {
            assertThat(total(WAITS, text)).as(text).isZero();
            assertThat(total(CACHED, text)).as(text).isEqualTo(total(READ, text));
        }
        return fetched;
    }

    private static long total(Pattern metric, String text) {
        Matcher found = metric.matcher(text);
        assertThat(found.find()).as(text).isTrue();
        return Long.parseLong(found.group(1));
    }

    private static Pattern metric(String name) {
        return Pattern.compile("'%s' = LongCount\\{total=(\\d+)}".formatted(name));
    }

    private static void damage(Path directory, Random random) throws IOException {
        List<Path> segments =
                LiveFolder.files(directory).stream()
                        .filter(file -> file.toString().endsWith(".pages"))
                        .sorted()
                        .toList();
        assertThat(segments).isNotEmpty();
        for (Path segment : segments) {
            try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
                for (int i = 0; i < 3; i++) {
                    long at = (long) (random.nextDouble() * Math.max(1, channel.size() - 8));
                    channel.write(ByteBuffer.allocate(8), at);
                }
            }
        }
    }

    /** Of stripes so large that not all of a stripe is read for one of its columns. */
    @Test
    void warmReadsWhatIsNamed() throws Exception {
        Map<String, String> cache =
                Map.of(
                        "stele.cache.enabled",
                        "true",
                        "stele.cache.page-size",
                        "64kB",
                        "stele.cache.warm-on-write",
                        "false");
        try (SidecarFixture sidecar = new SidecarFixture(directory.resolve("sidecar"), Map.of());
                DistributedQueryRunner runner =
                        runner(sidecar, with(cache, directory.resolve("pages")))) {
            runner.execute("CREATE SCHEMA stele.s");
            runner.execute(
                    """
                    CREATE TABLE stele.s.columns (id bigint, v varchar, n double, d date)
                    WITH (primary_key = ARRAY['id', 'd'], partitioned_by = ARRAY['d'], shard_count = 1)
                    """);
            for (String day : List.of("2026-01-01", "2026-01-02")) {
                runner.execute(
                        "INSERT INTO stele.s.columns SELECT orderkey * 10 + linenumber, to_hex(sha256(to_utf8(comment || CAST(orderkey AS varchar)))), extendedprice, DATE '%s' FROM tpch.tiny.lineitem"
                                .formatted(day));
            }
            String second = " WHERE d = DATE '2026-01-02'";
            assertThat(
                            runner
                                    .execute(
                                            "ALTER TABLE stele.s.columns EXECUTE warm(columns => ARRAY['N'])"
                                                    + second)
                                    .getMaterializedRows()
                                    .stream()
                                    .map(MaterializedRow::getFields))
                    .containsExactly(List.of("read_rows", 60_175L));
            assertThat(fetchedBytes(runner, "sum(n)", second)).isZero();
            assertThat(fetchedBytes(runner, "max(v)", second)).isPositive();
            assertThat(fetchedBytes(runner, "sum(n)", "")).isPositive();

            runner.execute("ALTER TABLE stele.s.columns EXECUTE warm");
            assertThat(fetchedBytes(runner, "sum(n), max(v), max(id)", "")).isZero();

            assertThatThrownBy(
                            () ->
                                    runner.execute(
                                            "ALTER TABLE stele.s.columns EXECUTE warm(columns => ARRAY['x'])"))
                    .hasMessage("Expected columns of table s.columns to warm, found 'x'");
            assertThatThrownBy(
                            () ->
                                    runner.execute(
                                            "ALTER TABLE stele.s.columns EXECUTE warm(columns => ARRAY['n', 'N'])"))
                    .hasMessage("Expected each of the columns to warm once, found [n, n]");
        }
    }

    @Test
    void aDirectoryThatCannotBeUsedIsNamed() throws Exception {
        Map<String, String> cache =
                with(Map.of("stele.cache.enabled", "true"), directory.resolve("pages"));
        try (SidecarFixture sidecar = new SidecarFixture(directory.resolve("sidecar"), cache)) {
            // The sidecar has it already
            assertThatThrownBy(() -> runner(sidecar, cache))
                    .hasStackTraceContaining("stele.cache.directories")
                    .hasStackTraceContaining(directory.resolve("pages").toString())
                    .hasStackTraceContaining("in use");
        }
        assertThatThrownBy(
                        () ->
                                new SidecarFixture(
                                        directory.resolve("other"),
                                        Map.of(
                                                "stele.cache.enabled",
                                                "true",
                                                "stele.cache.directories",
                                                directory.resolve("small").toString(),
                                                "stele.cache.max-sizes",
                                                "1MB")))
                .hasMessageContaining("stele.cache.max-sizes: expected at least")
                .hasMessageContaining("found 1MB");
    }

    private static DistributedQueryRunner runner(SidecarFixture sidecar, Map<String, String> more)
            throws Exception {
        DistributedQueryRunner runner = SteleCluster.queryRunner(0);
        try {
            runner.createCatalog(
                    CATALOG,
                    "stele",
                    ImmutableMap.<String, String>builder()
                            .putAll(sidecar.catalogProperties())
                            .putAll(more)
                            // Nothing from memory
                            .put("stele.scan.column-cache-size", "0B")
                            .put("stele.scan.tail-cache-size", "0B")
                            .put("stele.write.direct-threshold", "0B")
                            // The workers are to read
                            .put("stele.aggregation-pushdown.enabled", "false")
                            .buildKeepingLast());
            return runner;
        } catch (Throwable e) {
            runner.close();
            throw e;
        }
    }

    private static Map<String, String> with(Map<String, String> properties, Path pages) {
        return ImmutableMap.<String, String>builder()
                .put("stele.cache.directories", pages.toString())
                .put("stele.cache.max-sizes", "64MB")
                .putAll(properties)
                .buildOrThrow();
    }
}
