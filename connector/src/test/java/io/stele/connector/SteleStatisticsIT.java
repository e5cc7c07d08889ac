package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.trino.Session;
import io.trino.plugin.base.metrics.DurationTiming;
import io.trino.plugin.base.metrics.LongCount;
import io.trino.spi.metrics.Metric;
import io.trino.testing.MaterializedRow;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** What {@code SHOW STATS} says, beside what queries count. */
@ExtendWith(SteleCluster.Shared.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SteleStatisticsIT {
    private static final double SKETCH_ERROR = 0.13; // four standard deviations
    private static final String DIRECT = "stats_files"; // a catalog whose workers write files

    private final SteleCluster cluster;
    private final SteleQueries queries;
    private final SidecarFixture direct;

    SteleStatisticsIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
        this.direct = cluster.newSidecar(DIRECT, Map.of("stele.write.direct-threshold", "0B"));
    }

    @AfterAll
    void close() {
        queries.run("DROP CATALOG " + DIRECT);
        direct.close();
    }

    @Test
    void filesOfWorkersAndOfTheSidecarTellTheSame() {
        for (String source : List.of("lineitem", "orders", "customer")) {
            String name = SteleQueries.newTable("counted_" + source);
            String ofLog = "stele.s." + name;
            String ofWorkers = DIRECT + ".s." + name;
            for (String table : List.of(ofLog, ofWorkers)) {
                queries.run(
                        "CREATE TABLE %s AS SELECT * FROM tpch.tiny.%s".formatted(table, source));
            }
            cluster.sidecar().flush("s", name);

            Map<String, Statistics> found = statistics(ofLog);
            assertThat(statistics(ofWorkers)).isEqualTo(found);
            assertCounted(ofLog, found);
        }
    }

    @Test
    void everyTypeHasTheSameValuesInBothKindsOfFiles() {
        String name = SteleQueries.newTable("counted_types");
        String values =
                """
                SELECT n AS k, n %% 2 = 0 AS b, CAST(n %% 7 AS tinyint) AS t, CAST(n %% 50 AS smallint) AS s, CAST(n AS integer) AS i,
                  CAST(n %% 9 AS real) / 4 AS r, n / DOUBLE '8' AS d, CAST(n AS decimal(10,2)) AS sd, CAST(n AS decimal(38,2)) * 1000000000000000 AS ld,
                  CAST(n AS varchar) AS v, CAST(CAST(n %% 30 AS varchar) AS char(6)) AS c, to_utf8(CAST(n AS varchar)) AS vb,
                  date_add('day', CAST(n AS integer) %% 300, DATE '2020-01-01') AS dt,
                  date_add('second', n, TIME '00:00:00.000000') AS tm,
                  date_add('second', n, TIMESTAMP '2020-01-01 00:00:00.000') AS ts,
                  date_add('second', n, TIMESTAMP '2020-01-01 00:00:00.000000000') AS tn,
                  date_add('second', n, TIMESTAMP '2020-01-01 00:00:00.000 UTC') AS tz,
                  CAST(from_hex(lpad(to_hex(to_big_endian_64(n %% 40)), 32, '0')) AS uuid) AS u,
                  IF(n %% 4 = 0, NULL, n) AS quarter
                FROM UNNEST(sequence(1, 2000)) x(n)
                """
                        .formatted();
        for (String table : List.of("stele.s." + name, DIRECT + ".s." + name)) {
            queries.run("CREATE TABLE %s AS %s".formatted(table, values));
        }
        cluster.sidecar().flush("s", name);
        Map<String, Statistics> found = statistics("stele.s." + name);
        Map<String, Statistics> ofWorkers = statistics(DIRECT + ".s." + name);
        found.forEach(
                (column, known) -> {
                    assertThat(ofWorkers.get(column).distinct())
                            .as(column)
                            .isEqualTo(known.distinct());
                    assertThat(ofWorkers.get(column).dataSize())
                            .as(column)
                            .isEqualTo(known.dataSize());
                });
        assertCounted("stele.s." + name, found);
        cluster.sidecar().compact("s", name);
        assertThat(statistics("stele.s." + name)).isEqualTo(found);
    }

    @Test
    void queriesTellHowLongTheyPlanned() {
        String table = SteleQueries.newTable("planned");
        queries.run("CREATE TABLE %s AS SELECT * FROM tpch.tiny.nation".formatted(table));
        Session session = cluster.runner().getDefaultSession();
        Map<String, Metric<?>> scan = planning(session, "SELECT * FROM " + table);
        assertThat(((LongCount) scan.get("metadata calls")).getTotal()).isGreaterThan(5);
        assertThat(nanos(scan, "metadata time")).isPositive();
        assertThat(nanos(scan, "split planning time")).isPositive();

        Map<String, Metric<?>> explained = planning(session, "EXPLAIN SELECT * FROM " + table);
        assertThat(nanos(explained, "metadata time")).isPositive();
        assertThat(nanos(explained, "split planning time")).isZero();
    }

    private static long nanos(Map<String, Metric<?>> metrics, String name) {
        return ((DurationTiming) metrics.get(name)).getDuration().toNanos();
    }

    private Map<String, Metric<?>> planning(Session session, String sql) {
        return queries.statistics(session, sql)
                .getCatalogMetadataMetrics()
                .get("stele")
                .getMetrics();
    }

    @Test
    void rowsInMemoryCountToo() {
        String table = SteleQueries.newTable("counted_memory");
        queries.run(
                "CREATE TABLE %s WITH (primary_key = ARRAY['custkey']) AS SELECT * FROM tpch.tiny.customer"
                        .formatted(table));
        assertCounted("stele.s." + table, statistics("stele.s." + table));
    }

    @Test
    void deletedRowsAndDroppedColumnsLeave() {
        String table = SteleQueries.newTable("counted_changes");
        queries.run(
                "CREATE TABLE %s.s.%s WITH (primary_key = ARRAY['orderkey']) AS SELECT orderkey, custkey, clerk, totalprice FROM tpch.tiny.orders"
                        .formatted(DIRECT, table));
        String name = DIRECT + ".s." + table;
        queries.run("DELETE FROM " + name + " WHERE orderkey % 4 > 0");
        assertCounted(name, statistics(name));

        queries.run("ALTER TABLE " + name + " DROP COLUMN clerk");
        queries.run("ALTER TABLE " + name + " ADD COLUMN clerk varchar");
        Map<String, Statistics> readded = statistics(name);
        assertThat(readded.get("clerk").distinct()).isEqualTo(0);
        assertThat(readded.get("clerk").nulls()).isEqualTo(1.0);
        queries.run("INSERT INTO " + name + " VALUES (-1, 1, 1.0, 'a'), (-2, 1, 1.0, 'b')");
        direct.flush("s", table);
        assertThat(statistics(name).get("clerk").distinct()).isEqualTo(2);
        direct.restart();
        assertThat(statistics(name).get("clerk").distinct()).isEqualTo(2);
        direct.compact("s", table);
        assertCounted(name, statistics(name));
    }

    @Test
    void partitionsAreEstimatedByTheirOwnFiles() {
        String name = SteleQueries.newTable("counted_parts");
        String table = DIRECT + ".s." + name;
        queries.run(
                "CREATE TABLE %s WITH (primary_key = ARRAY['orderpriority', 'orderkey'], partitioned_by = ARRAY['orderpriority']) AS SELECT * FROM tpch.tiny.orders"
                        .formatted(table));
        String urgent = "SELECT * FROM " + table + " WHERE orderpriority = '1-URGENT'";
        long rows = queries.count("SELECT count(*) FROM (" + urgent + ")");
        assertThat(queries.explain(urgent)).contains("{rows: %d ".formatted(rows));
        Map<String, Statistics> found = read("SHOW STATS FOR (%s)".formatted(urgent));
        assertThat(found.get("").rows()).isEqualTo((double) rows);
        assertThat(found.get("orderpriority").distinct()).isEqualTo(1);
        assertThat(found.get("orderkey").distinct())
                .isCloseTo((double) rows, within(rows * SKETCH_ERROR));
    }

    @Test
    void analyzeAndTheSessionPropertyDoWhatTheySay() {
        String table = SteleQueries.newTable("counted_analyze");
        queries.run("CREATE TABLE %s AS SELECT * FROM tpch.tiny.nation".formatted(table));
        assertThat(queries.update("ANALYZE " + table)).isEqualTo(25);
        // What was in memory is in files now
        assertThat(queries.count("SELECT sum(memory_rows) FROM \"" + table + "$shards\"")).isZero();
        assertCounted("stele.s." + table, statistics("stele.s." + table));

        Map<String, Statistics> without =
                read(
                        "SHOW STATS FOR " + table,
                        io.trino.Session.builder(cluster.runner().getDefaultSession())
                                .setCatalogSessionProperty("stele", "statistics_enabled", "false")
                                .build());
        without.values().forEach(none -> assertThat(none).isEqualTo(Statistics.NONE));
    }

    private void assertCounted(String table, Map<String, Statistics> found) {
        List<String> columns = found.keySet().stream().filter(column -> !column.isEmpty()).toList();
        // All by one statement and one pass over the rows: much cheaper
        Session oneStep =
                Session.builder(cluster.runner().getDefaultSession())
                        .setSystemProperty("distinct_aggregations_strategy", "single_step")
                        .build();
        String sql =
                columns.stream()
                        .map(SteleStatisticsIT::counts)
                        .collect(
                                Collectors.joining(
                                        ", ",
                                        "SELECT CAST(count(*) AS double), ",
                                        " FROM " + table));
        MaterializedRow counted =
                cluster.runner().execute(oneStep, sql).getMaterializedRows().getFirst();
        double rows = (double) counted.getField(0);
        assertThat(found.get("").rows()).isEqualTo(rows);
        for (int i = 0; i < columns.size(); i++) {
            String column = columns.get(i);
            double distinct = (double) counted.getField(3 * i + 1);
            Statistics statistics = found.get(column);
            assertThat(statistics.distinct())
                    .as("%s of %s", column, table)
                    .isCloseTo(distinct, within(distinct * SKETCH_ERROR));
            assertThat(statistics.nulls())
                    .as("%s of %s", column, table)
                    .isCloseTo((double) counted.getField(3 * i + 2) / rows, within(0.001));
            if (statistics.dataSize() >= 0 && !column.equals("c")) {
                double bytes = (double) counted.getField(3 * i + 3);
                assertThat(statistics.dataSize())
                        .as("%s of %s", column, table)
                        .isCloseTo(bytes, within(bytes * 0.01));
            }
        }
    }

    /** How many values a column has, how many nulls, and how long its values are together. */
    private static String counts(String column) {
        return "CAST(count(DISTINCT %1$s) AS double), CAST(count(*) - count(%1$s) AS double), CAST(coalesce(sum(%2$s), 0) AS double)"
                .formatted(
                        column,
                        column.equals("vb")
                                ? "length(vb)"
                                : "length(CAST(%s AS varchar))".formatted(column));
    }

    private Map<String, Statistics> statistics(String table) {
        return read("SHOW STATS FOR " + table);
    }

    private Map<String, Statistics> read(String sql) {
        return read(sql, cluster.runner().getDefaultSession());
    }

    private Map<String, Statistics> read(String sql, io.trino.Session session) {
        return cluster.runner().execute(session, sql).getMaterializedRows().stream()
                .collect(
                        Collectors.toMap(
                                row -> Optional.ofNullable((String) row.getField(0)).orElse(""),
                                Statistics::of));
    }

    /** A row of {@code SHOW STATS}; what is not known is -1. */
    private record Statistics(
            double dataSize, double distinct, double nulls, double rows, String low, String high) {
        static final Statistics NONE = new Statistics(-1, -1, -1, -1, "", "");

        static Statistics of(MaterializedRow row) {
            return new Statistics(
                    number(row, 1),
                    number(row, 2),
                    number(row, 3),
                    number(row, 4),
                    text(row, 5),
                    text(row, 6));
        }

        private static double number(MaterializedRow row, int field) {
            return row.getField(field) == null ? -1 : (double) row.getField(field);
        }

        private static String text(MaterializedRow row, int field) {
            return row.getField(field) == null ? "" : (String) row.getField(field);
        }
    }
}
