package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testing.LongRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Partitions through SQL: scans, deletions, the procedure and the system table. */
@ExtendWith(SteleCluster.Shared.class)
final class StelePartitionsIT {
    private static final String ROWS =
            """
            SELECT orderkey AS id, date_trunc('year', orderdate) AS y,
              IF(orderstatus = 'P', NULL, orderstatus) AS status, totalprice AS price
            FROM tpch.tiny.orders""";

    private final SteleCluster cluster;
    private final SteleQueries queries;
    private final List<SidecarFixture> own = new ArrayList<>();

    StelePartitionsIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    @AfterEach
    void closeSidecars() {
        own.forEach(SidecarFixture::close);
    }

    private SidecarFixture newSidecar(String catalog, Map<String, String> more) {
        return newSidecar(catalog, more, Map.of());
    }

    private SidecarFixture newSidecar(
            String catalog, Map<String, String> more, Map<String, String> ofSidecar) {
        SidecarFixture sidecar = cluster.newSidecar(catalog, more, ofSidecar);
        own.add(sidecar);
        return sidecar;
    }

    static List<String> designs() {
        return LongRun.combinations(
                List.of(
                        "partitioned_by = ARRAY['y', 'status']",
                        "partitioned_by = ARRAY['y'], primary_key = ARRAY['y', 'id'], orientation = 'row,column'"),
                List.of(
                        "partitioned_by = ARRAY['y'], primary_key = ARRAY['id', 'y']",
                        "partitioned_by = ARRAY['y'], primary_key = ARRAY['id', 'y'], orientation = 'row'"));
    }

    @ParameterizedTest
    @MethodSource("designs")
    void predicatesOfPartitionColumnsAreKept(String properties) {
        String plain = SteleQueries.newTable("plain");
        String table = SteleQueries.newTable("parts");
        queries.run("CREATE TABLE %s AS %s".formatted(plain, ROWS));
        queries.run("CREATE TABLE %s WITH (%s) AS %s".formatted(table, properties, ROWS));
        for (String name : new String[] {plain, table}) { // rows in memory, too
            queries.update(
                    "INSERT INTO %s VALUES (-1, DATE '1995-01-01', 'O', 1e0), (-2, DATE '2001-01-01', NULL, 2e0)"
                            .formatted(name));
        }
        List<String> predicates =
                List.of(
                        "y = DATE '1995-01-01'",
                        "y > DATE '1997-01-01' OR y IN (DATE '1992-01-01', DATE '1994-01-01')",
                        "y BETWEEN DATE '1993-01-01' AND DATE '1994-06-01' AND price > 100000",
                        "y <> DATE '1995-01-01' AND status = 'F'",
                        "status IS NULL",
                        "status IS NULL OR status = 'O' AND y = DATE '1995-01-01'",
                        "status >= 'G'",
                        "y IN (SELECT DATE '1996-01-01' UNION ALL SELECT DATE '1995-01-01')");
        queries.assertSameForEach(
                "SELECT count(*), sum(id), sum(price) FROM %s", predicates, table, plain);
        assertThat(queries.explain("SELECT * FROM %s WHERE y = DATE '1995-01-01'".formatted(table)))
                .doesNotContain("Filter");
        assertThat(
                        queries.scannedRows(
                                "SELECT id FROM %s WHERE y = DATE '1995-01-01'".formatted(table)))
                .isEqualTo(
                        queries.count(
                                "SELECT count(*) FROM %s WHERE y = DATE '1995-01-01'"
                                        .formatted(plain)));
    }

    @Test
    void rowsRoundManyPartitionsAreFlushedAFileEach() {
        String table = SteleQueries.newTable("days");
        queries.run(
                "CREATE TABLE %s (p date, v bigint) WITH (partitioned_by = ARRAY['p'], shard_count = 1)"
                        .formatted(table));
        queries.update(
                "INSERT INTO %s SELECT date_add('day', n %% 90, DATE '2026-01-01'), n FROM UNNEST(sequence(1, 1000)) t(n)"
                        .formatted(table));
        cluster.sidecar().flush("s", table);
        assertThat(queries.count("SELECT count(*) FROM \"%s$files\"".formatted(table)))
                .isEqualTo(90);
        assertThat(
                        queries.count(
                                "SELECT sum(v) FROM %s WHERE p >= DATE '2026-01-01'"
                                        .formatted(table)))
                .isEqualTo(500_500);
    }

    @ParameterizedTest
    @MethodSource("designs")
    void partitionsAreDeletedWithoutAScan(String properties) {
        String plain = SteleQueries.newTable("plain");
        String table = SteleQueries.newTable("parts");
        queries.run("CREATE TABLE %s AS %s".formatted(plain, ROWS));
        queries.run("CREATE TABLE %s WITH (%s) AS %s".formatted(table, properties, ROWS));
        for (String name : new String[] {plain, table}) {
            queries.update(
                    "INSERT INTO %s VALUES (-1, DATE '1995-01-01', 'O', 1e0)".formatted(name));
        }
        String delete = "DELETE FROM %s WHERE y < DATE '1994-01-01' OR y = DATE '1995-01-01'";
        assertThat(queries.explain(delete.formatted(table))).doesNotContain("TableScan");
        long deleted = queries.update(delete.formatted(plain));
        assertThat(deleted).isPositive();
        assertThat(queries.update(delete.formatted(table))).isEqualTo(deleted);
        same(plain, table);

        cluster.sidecar().flush("s", table);
        same(plain, table);
        // Other conditions go row by row, as ever
        String some = "DELETE FROM %s WHERE y = DATE '1996-01-01' AND price > 100000";
        queries.run(some.formatted(table));
        queries.run(some.formatted(plain));
        same(plain, table);

        queries.run(
                "CALL system.drop_partition('s', '%s', ARRAY['Y'], ARRAY['1996-01-01'])"
                        .formatted(table));
        queries.run("DELETE FROM %s WHERE y = DATE '1996-01-01'".formatted(plain));
        same(plain, table);
        cluster.sidecar().compact("s", table);
        same(plain, table);

        assertThat(queries.explain("DELETE FROM " + table)).doesNotContain("TableScan");
        assertThat(queries.update("DELETE FROM " + table))
                .isEqualTo(queries.count("SELECT count(*) FROM " + plain));
        assertThat(queries.update("DELETE FROM " + table)).isZero();
        assertThat(queries.count("SELECT count(*) FROM " + table)).isZero();
        queries.update("INSERT INTO %s SELECT * FROM (%s) WHERE id < 100".formatted(table, ROWS));
        queries.assertSame(
                "SELECT * FROM " + table, "SELECT * FROM (%s) WHERE id < 100".formatted(ROWS));
    }

    @Test
    void partitionsAreListed() {
        String table = SteleQueries.newTable("parts");
        queries.run(
                "CREATE TABLE %s WITH (partitioned_by = ARRAY['y', 'status']) AS %s"
                        .formatted(table, ROWS));
        cluster.sidecar().flush("s", table);
        queries.assertSame(
                "SELECT y, status, record_count FROM \"%s$partitions\"".formatted(table),
                "SELECT y, status, count(*) FROM (%s) GROUP BY y, status".formatted(ROWS));
        assertThat(
                        queries.count(
                                "SELECT count_if(file_count < 1 OR total_size < 100) FROM \"%s$partitions\""
                                        .formatted(table)))
                .isZero();
        queries.run("DELETE FROM %s WHERE status IS NULL".formatted(table));
        assertThat(
                        queries.count(
                                "SELECT count(*) FROM \"%s$partitions\" WHERE status IS NULL"
                                        .formatted(table)))
                .isZero();
        assertThat(queries.failure("SELECT * FROM \"%s$partitions\"".formatted("nothing")))
                .hasMessageContaining("does not exist");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0B", "16MB"})
    void rowsOfSmallPartitionsGoByTheLogAndShareFiles(String threshold) {
        String catalog = "direct_" + threshold.toLowerCase(Locale.ROOT);
        SidecarFixture sidecar =
                newSidecar(catalog, Map.of("stele.write.direct-threshold", threshold));
        queries.run(create(catalog, 1_500, ""));
        assertThat(queries.count(files(catalog))).isZero();
        assertThat(queries.count(rows(catalog))).isEqualTo(15_000);
        sidecar.flush("s", "parts");
        // Of each partition one, though writers are several and shards four
        assertThat(queries.count(files(catalog))).isEqualTo(1_500);
        assertThat(queries.count(rows(catalog))).isEqualTo(15_000);
        assertThat(queries.count(rows(catalog) + " WHERE part = 7")).isEqualTo(10);
        queries.run("DELETE FROM %s.s.parts WHERE part < 1000".formatted(catalog));
        assertThat(queries.count(rows(catalog))).isEqualTo(5_000);
    }

    @Test
    void keysThatComeAgainInALaterBufferAreThereOnce() {
        SidecarFixture buffers =
                newSidecar(
                        "buffers",
                        Map.of(
                                "stele.write.direct-threshold", "0B",
                                "stele.write.sort-buffer-size", "1MB"));
        // Partition 7 has a row like each other, then all rows of a buffer, then a row again
        queries.run(
                """
                CREATE TABLE buffers.s.parts
                WITH (primary_key = ARRAY['id', 'part'], partitioned_by = ARRAY['part'], shard_count = 1) AS
                SELECT n % 30000 AS id, IF(n < 30000, n % 100, 7) AS part, n AS v
                FROM UNNEST(sequence(0, 9999)) t(i) CROSS JOIN UNNEST(sequence(0, 8)) u(j)
                CROSS JOIN UNNEST(ARRAY[i * 9 + j]) w(n)""");
        // Which of the rows of a key comes last is left to the engine
        assertThat(queries.count("SELECT count(*) FROM buffers.s.parts"))
                .isEqualTo(
                        queries.count(
                                "SELECT count(DISTINCT (n % 30000, IF(n < 30000, n % 100, 7))) FROM UNNEST(sequence(0, 9999)) t(i) CROSS JOIN UNNEST(sequence(0, 8)) u(j) CROSS JOIN UNNEST(ARRAY[i * 9 + j]) w(n)"));
        assertThat(spills(buffers)).isEmpty();
    }

    @Test
    void whatTheLogHasNoRoomForBecomesFiles() {
        Map<String, String> smallLog = Map.of("stele.transaction.max-size", "64kB");
        newSidecar("no_log", Map.of("stele.write.direct-threshold", "0B"), smallLog);
        queries.run(create("no_log", 100, ", shard_count = 1"));
        assertThat(queries.count(rows("no_log"))).isEqualTo(15_000);
        assertThat(queries.count(files("no_log"))).isGreaterThanOrEqualTo(100);

        newSidecar("few_rows", Map.of(), smallLog);
        queries.run(create("few_rows", 3, ""));
        assertThat(queries.count(rows("few_rows"))).isEqualTo(15_000);
        assertThat(queries.count(files("few_rows"))).isPositive();
        // Of several messages, of which the first ones are refused while others are on their way
        queries.run("CREATE TABLE few_rows.s.lines AS SELECT * FROM tpch.tiny.lineitem");
        assertThat(queries.count("SELECT count(*) FROM few_rows.s.lines")).isEqualTo(60_175);
    }

    private static List<Path> spills(SidecarFixture sidecar) {
        return sidecar.dataFiles().stream()
                .filter(path -> path.toString().endsWith(".spill"))
                .toList();
    }

    private static String create(String catalog, int partitions, String more) {
        return "CREATE TABLE %s.s.parts WITH (partitioned_by = ARRAY['part']%s) AS SELECT orderkey AS id, (orderkey / 32 * 8 + orderkey %% 8) %% %s AS part FROM tpch.tiny.orders"
                .formatted(catalog, more, partitions);
    }

    private static String files(String catalog) {
        return "SELECT count(*) FROM %s.s.\"parts$files\"".formatted(catalog);
    }

    private static String rows(String catalog) {
        return "SELECT count(*) FROM %s.s.parts".formatted(catalog);
    }

    @Test
    void whatCannotBeDroppedIsRefused() {
        String table = SteleQueries.newTable("parts");
        queries.run(
                "CREATE TABLE %s (id bigint, d date, v bigint) WITH (primary_key = ARRAY['id', 'd'], partitioned_by = ARRAY['d'])"
                        .formatted(table));
        queries.update(
                "INSERT INTO %s VALUES (1, DATE '2024-01-01', 1), (2, DATE '2024-01-02', 2)"
                        .formatted(table));
        String call = "CALL system.drop_partition('s', '" + table + "', ARRAY['%s'], ARRAY['%s'])";
        assertThat(queries.failure(call.formatted("v", "1")))
                .hasMessageContaining(
                        "columns that table 's.%s' is partitioned by: [d]".formatted(table));
        assertThat(queries.failure(call.formatted("d", "yesterday")))
                .hasMessageContaining(
                        "Expected a value of partition column 'd' of type date, found 'yesterday'");
        assertThat(queries.count("SELECT count(*) FROM " + table)).isEqualTo(2);
    }

    private void same(String plain, String table) {
        queries.assertSame("SELECT * FROM " + table, "SELECT * FROM " + plain);
    }
}
