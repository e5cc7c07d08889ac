package io.stele.connector;

import static io.stele.connector.SameRows.assertSameRows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stele.testing.LongRun;
import io.trino.Session;
import io.trino.testing.MaterializedResult;
import io.trino.testing.QueryFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Aggregations that the sidecar computes beside the same computed by Trino. */
@ExtendWith(SteleCluster.Shared.class)
final class SteleAggregationPushdownIT {
    private static final String COLUMNS =
            "(id bigint, flag boolean, tiny tinyint, small smallint, num integer, big bigint, price decimal(12,2), wide decimal(38,6),"
                    + " ratio double, weight real, name varchar, day date, moment timestamp(6), pico timestamp(12))";

    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleAggregationPushdownIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    private MaterializedResult engine(String sql) {
        return cluster.runner().execute(queries.with("aggregation_pushdown_enabled", "false"), sql);
    }

    private void assertSameAsEngine(String sql) {
        assertSameRows(
                sql, queries.run(sql).getMaterializedRows(), engine(sql).getMaterializedRows());
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, LongRun.count(2, 8));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void sameAsTrino(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        String table = SteleQueries.newTable("aggregated");
        String orientation = List.of("column", "row", "row,column", "column").get((int) seed % 4);
        queries.run(
                "CREATE TABLE %s %s WITH (primary_key = ARRAY['id'], shard_count = 2, orientation = '%s')"
                        .formatted(table, COLUMNS, orientation));
        assertSameAsEngine("SELECT count(*), sum(big), max(name) FROM " + table);
        for (int round = 0; round < 6; round++) {
            queries.update(
                    "INSERT INTO %s (id, flag, tiny, small, num, big, price, wide, ratio, weight, name, day, moment, pico) VALUES %s"
                            .formatted(table, rows(random, 1 + random.nextInt(80))));
            switch (random.nextInt(4)) {
                case 0 -> cluster.sidecar().flush("s", table);
                case 1 -> cluster.sidecar().compact("s", table);
                case 2 ->
                        queries.update(
                                "DELETE FROM %s WHERE num = %d"
                                        .formatted(table, random.nextInt(5)));
                default ->
                        queries.update(
                                "UPDATE %s SET price = price + 1, name = 'u' WHERE tiny = %d AND price < 1000"
                                        .formatted(table, random.nextInt(5)));
            }
            if (round == 3) {
                queries.run("ALTER TABLE " + table + " ADD COLUMN extra bigint");
                queries.run("ALTER TABLE " + table + " ALTER COLUMN num SET DATA TYPE bigint");
                queries.run(
                        "ALTER TABLE " + table + " ALTER COLUMN price SET DATA TYPE decimal(25,2)");
            }
            for (int query = 0; query < LongRun.count(4, 8); query++) {
                assertSameAsEngine(query(random, table));
            }
        }
    }

    /**
     * Columns that the sidecar has not decoded are left to workers, until repetitions are worth
     * filling its caches.
     */
    @Test
    void costDecides() {
        String table = SteleQueries.newTable("costly");
        queries.run(
                "CREATE TABLE %s WITH (primary_key = ARRAY['id'], shard_count = 1) AS SELECT a * 1000 + b AS id, b %% 10 AS g, b %% 11 AS c1, b %% 12 AS c2, b %% 13 AS c3, b %% 14 AS c4, b %% 15 AS c5 FROM UNNEST(sequence(1, 400)) x(a) CROSS JOIN UNNEST(sequence(1, 1000)) y(b)"
                        .formatted(table));
        cluster.sidecar().flush("s", table);
        String sums =
                "SELECT g, sum(c1), sum(c2), sum(c3), sum(c4), sum(c5) FROM %s GROUP BY g"
                        .formatted(table);
        assertThat((String) queries.value("EXPLAIN ANALYZE VERBOSE " + sums))
                .as("cold")
                .doesNotContain("aggregate=")
                .contains(
                        "'Aggregation in sidecar estimated ms'",
                        "'Aggregation in workers estimated ms'");
        List<String> plans = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            plans.add(queries.explain(sums));
        }
        assertThat(plans)
                .as("plans of a repeated aggregation")
                .anyMatch(plan -> plan.contains("sidecar, to fill its caches"));
        Session always = queries.with("cost_based_aggregation_enabled", "false");
        assertSameRows(
                sums,
                cluster.runner().execute(always, sums).getMaterializedRows(),
                engine(sums).getMaterializedRows());
        assertThat(queries.explain(sums))
                .as("with decoded columns")
                .contains("aggregate=[")
                .containsPattern(
                        "estimated sidecar \\d+ ms \\(0 requests, 0\\.0 MiB\\), workers \\d+ ms \\(\\d+ files, [0-9.]+ MiB\\): sidecar\\W");
        assertSameAsEngine(sums);
    }

    /** A sample is of the groups: each that it has is made of all of its rows. */
    @Test
    void samplesOfGroupsHaveWholeGroups() {
        String table = SteleQueries.newTable("sampled");
        queries.run("CREATE TABLE " + table + " (id bigint, g bigint) WITH (shard_count = 2)");
        queries.update(
                "INSERT INTO %s SELECT orderkey, orderkey %% 7 FROM tpch.tiny.orders"
                        .formatted(table));
        cluster.sidecar().flush("s", table);
        String groups = "SELECT g, count(*) AS n FROM " + table + " GROUP BY g";
        MaterializedResult all = engine(groups);
        assertThat(all.getRowCount()).isEqualTo(7);
        for (int percent : List.of(1, 50, 99)) {
            assertThat(all.getMaterializedRows())
                    .containsAll(
                            queries.run(
                                            "SELECT * FROM (%s) TABLESAMPLE SYSTEM (%d)"
                                                    .formatted(groups, percent))
                                    .getMaterializedRows());
        }
    }

    private static String rows(SplittableRandom random, int count) {
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(
                    "(%d, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
                            .formatted(
                                    i * 7 % 100,
                                    value(random, "true", "false"),
                                    value(random, "TINYINT '-128'", "TINYINT '1'", "TINYINT '2'"),
                                    value(random, "SMALLINT '-5'", "SMALLINT '300'"),
                                    value(random, EdgeValues.INTEGERS),
                                    value(random, "BIGINT '4503599627370496'", "BIGINT '-7'"),
                                    value(random, EdgeValues.DECIMALS),
                                    value(
                                            random,
                                            "DECIMAL '12345678901234567890123456789.123456'",
                                            "DECIMAL '-0.000001'"),
                                    value(random, EdgeValues.DOUBLES),
                                    value(random, EdgeValues.REALS),
                                    value(random, EdgeValues.TEXTS),
                                    value(random, EdgeValues.DATES),
                                    value(
                                            random,
                                            "TIMESTAMP '1969-12-31 23:59:59.999999'",
                                            "TIMESTAMP '2024-01-01 00:00:00.000001'"),
                                    value(random, EdgeValues.PICOS)));
        }
        return String.join(", ", rows.stream().distinct().toList());
    }

    private static String value(SplittableRandom random, String... values) {
        return EdgeValues.draw(random, 1, values);
    }

    private static String query(SplittableRandom random, String table) {
        String[] functions = {
            "count(*)",
            "count(name)",
            "min(name)",
            "max(name)",
            "min(day)",
            "max(moment)",
            "min(pico)",
            "max(pico)",
            "count(pico)",
            "sum(big)",
            "avg(big)",
            "min(big)",
            "max(num)",
            "sum(price)",
            "avg(price)",
            "min(price)",
            "sum(wide)",
            "avg(wide)",
            "max(wide)",
            "sum(ratio)",
            "avg(ratio)",
            "min(ratio)",
            "max(ratio)",
            "sum(weight)",
            "avg(weight)",
            "min(weight)",
            "max(weight)",
            "min(flag)",
            "max(flag)",
            "max(tiny)",
            "sum(num)",
            "avg(small)",
            "min(small)",
            "sum(price * (1 - price))",
            "sum(price + 1)",
            "max(wide - price)",
            "sum(big * 3)",
            "min(ratio * 2 - ratio)",
            "max(big + id)",
            "sum(price * ratio)"
        };
        String[] groups = {
            "", "flag", "name", "num", "name, flag", "day", "moment", "price", "wide", "pico"
        };
        String[] conditions = {
            "",
            "",
            "num >= 1",
            "num IS NULL",
            "ratio > -1",
            "ratio <= 0",
            "name < 'b'",
            "name IS NOT NULL",
            "day = DATE '2024-02-29'",
            "price BETWEEN 0 AND 2",
            "wide > 0 AND flag",
            "weight >= 0",
            "NOT flag",
            "num IN (1, 3) AND ratio >= 0",
            "moment < TIMESTAMP '2000-01-01 00:00:00'",
            "pico > TIMESTAMP '1969-12-31 23:59:59.999999999998'",
            "pico <> TIMESTAMP '9999-12-31 23:59:59.999999999999'",
            "id < 40"
        };
        String group = groups[random.nextInt(groups.length)];
        StringBuilder selected = new StringBuilder(group);
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            selected.append(selected.isEmpty() ? "" : ", ")
                    .append(functions[random.nextInt(functions.length)]);
        }
        String condition = conditions[random.nextInt(conditions.length)];
        return "SELECT %s FROM %s%s%s"
                .formatted(
                        selected,
                        table,
                        condition.isEmpty() ? "" : " WHERE " + condition,
                        group.isEmpty() ? "" : " GROUP BY " + group);
    }

    @Test
    void explainShowsWhatTheSidecarAggregates() {
        String table = SteleQueries.newTable("aggregated");
        queries.run("CREATE TABLE %s AS SELECT * FROM tpch.tiny.orders".formatted(table));
        String pushed =
                "SELECT orderstatus, count(*), sum(totalprice) FROM %s WHERE orderdate >= DATE '1995-01-01' AND totalprice < 100000 GROUP BY orderstatus"
                        .formatted(table);
        assertThat(queries.explain(pushed))
                .contains("enforced aggregate=[count(*), sum(totalprice)] by [orderstatus]")
                .doesNotContain("Aggregate")
                .doesNotContain("Filter");
        assertThat(queries.scannedRows(pushed)).isEqualTo(3);
        String session = "aggregation_pushdown_enabled";
        assertThat(
                        cluster.runner()
                                .execute(queries.with(session, "false"), "EXPLAIN " + pushed)
                                .getOnlyValue()
                                .toString())
                .doesNotContain("aggregate=[")
                .contains("Aggregate");
        // Too many groups, as sketches tell
        assertThat(
                        queries.explain(
                                "SELECT orderkey, count(*) FROM %s GROUP BY orderkey"
                                        .formatted(table)))
                .doesNotContain("aggregate=[");
        // What the sidecar cannot tell exactly stays with Trino
        for (String kept :
                List.of(
                        "SELECT count(*) FROM %s WHERE comment LIKE '%%a%%'",
                        "SELECT count(*) FILTER (WHERE custkey > 5) FROM %s",
                        "SELECT stddev(totalprice) FROM %s",
                        "SELECT orderstatus, count(*) FROM %s GROUP BY ROLLUP (orderstatus)")) {
            assertThat(queries.explain(kept.formatted(table)))
                    .as(kept)
                    .doesNotContain("aggregate=[");
        }
    }

    @Test
    void arithmeticGoesAlong() {
        String table = SteleQueries.newTable("arithmetic");
        queries.run(
                "CREATE TABLE %s AS SELECT orderkey, linenumber, shipdate, quantity, extendedprice price, CAST(extendedprice AS decimal(12,2)) exact, CAST(discount AS decimal(12,2)) discount, returnflag FROM tpch.tiny.lineitem"
                        .formatted(table));
        String sql =
                "SELECT returnflag, sum(exact * (1 - discount)), max(linenumber + 1), count(*) FROM %s WHERE shipdate < DATE '1995-01-01' GROUP BY returnflag"
                        .formatted(table);
        assertThat(queries.explain(sql)).contains("aggregate=[").doesNotContain("Aggregate[");
        assertSameAsEngine(sql);
        // Where nothing is aggregated, or Trino aggregates, the scan computes
        for (String kept :
                List.of(
                        "SELECT orderkey, exact * (1 - discount), exact + discount, exact - 1 FROM %s WHERE shipdate < DATE '1992-06-01'",
                        "SELECT linenumber + 1, linenumber * BIGINT '3', quantity - 1, quantity * price FROM %s WHERE orderkey < 100",
                        "SELECT stddev(linenumber * 2), sum(exact * discount) FROM %s")) {
            assertSameAsEngine(kept.formatted(table));
        }
        assertThat(
                        queries.failure(
                                "SELECT linenumber * 2147483647 FROM %s WHERE linenumber > 1"
                                        .formatted(table)))
                .hasMessageContaining("integer multiplication overflow");
    }

    @Test
    void conditionsAreAppliedWhereNothingIsAggregated() {
        String table = SteleQueries.newTable("enforced");
        queries.run("CREATE TABLE %s AS SELECT * FROM tpch.tiny.orders".formatted(table));
        String sql =
                "SELECT orderkey FROM %s WHERE orderdate >= DATE '1998-06-01' AND orderstatus IN ('O', 'F') AND totalprice > 1000.5"
                        .formatted(table);
        assertThat(queries.explain(sql)).contains(" enforced").doesNotContain("Filter");
        queries.assertSame(sql, sql.replace(table, "tpch.tiny.orders"));
        queries.assertSame(
                "SELECT count(*) FROM (SELECT 1 FROM %s WHERE orderdate < DATE '1993-01-01' LIMIT 10)"
                        .formatted(table),
                "VALUES BIGINT '10'");
    }

    @Test
    void aSumThatDoesNotFitIsTrinosError() {
        String table = SteleQueries.newTable("overflow");
        queries.run("CREATE TABLE %s (v bigint, d decimal(38,0))".formatted(table));
        queries.update(
                "INSERT INTO %s VALUES (9223372036854775807, DECIMAL '99999999999999999999999999999999999999'), (1, DECIMAL '1')"
                        .formatted(table));
        Session off = queries.with("aggregation_pushdown_enabled", "false");
        for (String function : List.of("sum(v)", "sum(d)")) {
            String sql = "SELECT %s FROM %s".formatted(function, table);
            assertThat(queries.explain(sql)).contains("aggregate=[");
            for (QueryFailedException failure : List.of(queries.failure(sql), failure(off, sql))) {
                assertThat(failure).hasMessageMatching("(?s)(bigint addition|Decimal) overflow.*");
            }
        }
    }

    private QueryFailedException failure(Session session, String sql) {
        return catchThrowableOfType(
                QueryFailedException.class, () -> cluster.runner().execute(session, sql));
    }

    @Test
    void theSessionSetsTheLimits() {
        String table = SteleQueries.newTable("limits");
        queries.run("CREATE TABLE %s AS SELECT * FROM tpch.tiny.nation".formatted(table));
        String sql =
                "EXPLAIN SELECT regionkey, count(*) FROM %s GROUP BY regionkey".formatted(table);
        assertThat(queries.run(sql).getOnlyValue().toString()).contains("aggregate=[");
        for (String property :
                List.of("aggregation_pushdown_max_groups", "aggregation_pushdown_max_rows")) {
            assertThat(
                            cluster.runner()
                                    .execute(queries.with(property, "3"), sql)
                                    .getOnlyValue()
                                    .toString())
                    .as(property)
                    .doesNotContain("aggregate=[");
        }
    }

    /** Within the estimate of 10,000 groups, and more than the 64 MiB of them that fit. */
    @Test
    void groupsThatDoNotFitMemoryAreComputedInSeveralPasses() {
        String table = SteleQueries.newTable("wide");
        queries.update(
                "CREATE TABLE %s AS SELECT lpad(CAST(n AS varchar), 8000, 'x') name, n FROM UNNEST(sequence(1, 9000)) t(n)"
                        .formatted(table));
        String sql = "SELECT name, count(*) groups, sum(n) total FROM %s GROUP BY name";
        assertThat(queries.explain(sql.formatted(table))).contains("aggregate=[");
        assertThat(
                        queries.run(
                                        "SELECT count(*), sum(groups), sum(total), count(DISTINCT name) FROM (%s)"
                                                .formatted(sql.formatted(table)))
                                .getMaterializedRows()
                                .getFirst()
                                .getFields())
                .containsExactly(9000L, 9000L, 40_504_500L, 9000L);
    }

    @Test
    void aVersionOfThePastIsAggregated() {
        String table = SteleQueries.newTable("past");
        queries.run(
                "CREATE TABLE %s (id bigint, v integer) WITH (primary_key = ARRAY['id'])"
                        .formatted(table));
        queries.update("INSERT INTO %s VALUES (1, 10), (2, 20)".formatted(table));
        long then = queries.count("SELECT max(\"$lsn\") FROM " + table);
        queries.update("UPDATE %s SET v = 30 WHERE id = 1".formatted(table));
        queries.run("ALTER TABLE " + table + " ALTER COLUMN v SET DATA TYPE bigint");
        cluster.sidecar().flush("s", table);
        String sql = "SELECT max(v), count(*) FROM %s FOR VERSION AS OF %d".formatted(table, then);
        assertSameAsEngine(sql);
        assertThat(queries.run(sql).getMaterializedRows().getFirst().getField(1)).isEqualTo(2L);
        assertThat(queries.count("SELECT max(v) FROM " + table)).isEqualTo(30);
    }
}
