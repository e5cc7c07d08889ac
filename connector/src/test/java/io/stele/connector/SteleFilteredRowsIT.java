package io.stele.connector;

import static io.stele.connector.SameRows.assertSameRows;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.stele.testing.LongRun;
import io.trino.Session;
import io.trino.testing.MaterializedRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Scans whose filtered rows workers keep, beside the same scans past what is kept. */
@ExtendWith(SteleCluster.OfTwoNodes.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SteleFilteredRowsIT {
    private static final String CATALOG = "filtered";

    /** Of the same sidecar; its workers read some of what they find again. */
    private static final String VERIFYING = "filtered_verifying";

    private static final String FOUND = "Cached results found";
    private static final String COMPUTED = "Cached results computed";

    private final SteleCluster cluster;
    private SidecarFixture sidecar;

    SteleFilteredRowsIT(SteleCluster cluster) {
        this.cluster = cluster;
    }

    @BeforeAll
    void start() {
        SteleCluster.awaitNodes(cluster.runner(), 2);
        sidecar = cluster.newSidecar(CATALOG, Map.of(), Map.of());
        cluster.runner()
                .createCatalog(
                        VERIFYING,
                        "stele",
                        ImmutableMap.<String, String>builder()
                                .putAll(sidecar.catalogProperties())
                                .put("stele.fragment-cache.verify-share", "0.2")
                                .buildOrThrow());
    }

    @AfterAll
    void stop() {
        cluster.runner().execute("DROP CATALOG " + CATALOG);
        cluster.runner().execute("DROP CATALOG " + VERIFYING);
        sidecar.close();
    }

    private Session session(String catalog) {
        return Session.builder(cluster.runner().getDefaultSession())
                .setCatalog(catalog)
                .setSchema("s")
                .build();
    }

    private Session pastTheCache(String catalog) {
        return Session.builder(session(catalog))
                .setCatalogSessionProperty(catalog, "fragment_cache_enabled", "false")
                .build();
    }

    private List<MaterializedRow> run(String sql) {
        return cluster.runner().execute(session(CATALOG), sql).getMaterializedRows();
    }

    /** Twice, so that what the first one leaves is what the second one finds. */
    private void assertSame(String catalog, String sql) {
        List<MaterializedRow> expected =
                cluster.runner().execute(pastTheCache(catalog), sql).getMaterializedRows();
        for (int time = 0; time < 2; time++) {
            assertSameRows(
                    sql,
                    cluster.runner().execute(session(catalog), sql).getMaterializedRows(),
                    expected);
        }
    }

    private void assertSame(String sql) {
        assertSame(CATALOG, sql);
    }

    /** What the scans of a query say together. */
    private long metric(String sql, String name) {
        String text =
                (String)
                        cluster.runner()
                                .execute(
                                        Session.builder(session(CATALOG))
                                                // What is kept is kept under the whole filter
                                                .setCatalogSessionProperty(
                                                        CATALOG,
                                                        "dynamic_filtering_wait_timeout",
                                                        "1h")
                                                .build(),
                                        "EXPLAIN ANALYZE VERBOSE " + sql)
                                .getOnlyValue();
        Matcher found =
                Pattern.compile("'%s' = LongCount\\{total=(\\d+)}".formatted(name)).matcher(text);
        long sum = 0;
        while (found.find()) {
            sum += Long.parseLong(found.group(1));
        }
        return sum;
    }

    private String orders(String more) {
        String table = SteleQueries.newTable("filtered");
        run(
                "CREATE TABLE %s (id bigint, customer bigint, status varchar, price double, day date) WITH (shard_count = 2%s)"
                        .formatted(table, more));
        run(
                "INSERT INTO %s SELECT orderkey, custkey, orderstatus, totalprice, orderdate FROM tpch.tiny.orders"
                        .formatted(table));
        sidecar.flush("s", table);
        return table;
    }

    private void assertKept(String sql) {
        assertSame(sql);
        assertThat(metric(sql, FOUND)).as(sql).isPositive();
        assertThat(metric(sql, COMPUTED)).as(sql).isZero();
    }

    @Test
    void queriesThatNobodyAggregatesBelowFindTheirRows() {
        String table = orders("");
        for (String sql :
                List.of(
                        "SELECT id, status FROM %s WHERE price > 300000",
                        "SELECT sum(CASE WHEN status = 'F' THEN price END), count(*) FILTER (WHERE status = 'O') FROM %s WHERE day = DATE '1995-01-05'",
                        "SELECT id, price FROM %s WHERE price > 250000 ORDER BY price DESC LIMIT 7",
                        "SELECT status, stddev(price) FROM %s WHERE customer IN (1, 7, 91, 340) GROUP BY status",
                        // Trino looks at what the scan cannot tell
                        "SELECT id FROM %s WHERE day < DATE '1992-02-01' AND status LIKE '%%F%%'",
                        "SELECT c.name, o.price FROM %s o JOIN tpch.tiny.customer c ON o.customer = c.custkey WHERE o.price > 300000",
                        "SELECT count(*) FROM (SELECT 1 FROM %s WHERE id < 50 OFFSET 3)",
                        "SELECT id + 1, price * 2 FROM %s WHERE price < 1000")) {
            assertKept(sql.formatted(table));
        }
        assertThat(run("SELECT id FROM %s WHERE id < 0".formatted(table))).isEmpty();
    }

    @Test
    void warmKeepsWhatItsFilterLeaves() {
        String table = orders("");
        String warm = "ALTER TABLE " + table + " EXECUTE warm(columns => ARRAY['id', 'status'])";
        String query = "SELECT id, status FROM " + table;
        String filter = " WHERE price > 300000";
        long count = (long) run("SELECT count(*) FROM " + table + filter).getFirst().getField(0);
        for (int time = 0; time < 2; time++) {
            assertThat(run(warm + filter))
                    .extracting(row -> row.getField(1))
                    .containsExactly(count);
        }
        assertThat(metric(query + filter, FOUND)).isPositive();
        assertThat(metric(query + filter, COMPUTED)).isZero();
        assertSame(query + filter);
        run(warm);
        assertThat(metric(query + " WHERE price < 2000", FOUND)).as("of another filter").isZero();
        assertThat(metric("SELECT id FROM " + table + filter, FOUND))
                .as("of other columns")
                .isZero();
    }

    @Test
    void nothingIsKeptOfScansWithoutConditions() {
        String table = orders("");
        String all = "SELECT id, price FROM " + table;
        assertSame(all);
        assertThat(metric(all, FOUND) + metric(all, COMPUTED)).isZero();
        // What statistics prove is no condition
        String proven = all + " WHERE id > 0 AND price IS NOT NULL";
        assertSame(proven);
        assertThat(metric(proven, FOUND) + metric(proven, COMPUTED)).isZero();
        String off = all + " WHERE id < 100";
        cluster.runner().execute(pastTheCache(CATALOG), off);
        assertThat(metric(off, FOUND)).as("after a query past what is kept").isZero();
    }

    /** Rows that a join needs are not all rows of its scan. */
    @Test
    void whatADynamicFilterLeavesIsNotTakenForAllRows() {
        String table = orders("");
        String narrow =
                "SELECT o.id, o.price FROM %s o JOIN (VALUES BIGINT '%d', BIGINT '%d') v(c) ON o.customer = v.c WHERE o.day < DATE '1993-01-01'";
        String wide = "SELECT id, price FROM %s WHERE day < DATE '1993-01-01'".formatted(table);
        assertSame(narrow.formatted(table, 370, 781));
        metric(narrow.formatted(table, 370, 781), COMPUTED); // and kept under the whole filter
        assertSame(wide);
        assertSame(narrow.formatted(table, 1_234, 781));
        assertSame(narrow.formatted(table, 1, 2));
        assertSame(wide + " AND customer < 300");
        // The same join again finds what it left, and both sides of one may be of the same scan
        assertThat(metric(narrow.formatted(table, 370, 781), FOUND)).isPositive();
        assertSame(
                "SELECT a.id, b.price FROM %1$s a JOIN %1$s b ON a.id = b.id WHERE a.price > 200000 AND b.price > 200000"
                        .formatted(table));
    }

    @Test
    void aWindowThatMovesOnFindsTheFilesInside() {
        String table = SteleQueries.newTable("window");
        run(
                "CREATE TABLE %s (id bigint, ts timestamp(6), v bigint) WITH (shard_count = 1)"
                        .formatted(table));
        // Three files, days apart; the last one ends now
        for (String days : List.of("6", "4", "2")) {
            run(
                    "INSERT INTO %s SELECT n, CAST(now() AS timestamp(6)) - interval '%s' day + n * interval '1' second, n %% 50 FROM UNNEST(sequence(1, 9000)) AS t(n)"
                            .formatted(table, days));
            sidecar.flush("s", table);
        }
        // Not of now() itself, so that both are asked the same and windows differ
        for (String sql :
                List.of(
                        "SELECT id, v FROM %s WHERE ts > now() - interval '5' day AND v = 7",
                        "SELECT v, count(*), sum(id) FROM %s WHERE ts > now() - interval '5' day AND v < 3 GROUP BY v")) {
            String asked = sql.formatted(table);
            run(asked);
            assertThat(metric(asked, FOUND)).as(asked).isEqualTo(2);
            assertThat(metric(asked, COMPUTED)).as(asked).isZero();
            assertSame(asked);
        }
    }

    @Test
    void aTableMadeAnewHasItsOwnRows() {
        String table = SteleQueries.newTable("again");
        for (int time = 0; time < 3; time++) {
            run("CREATE TABLE %s (id bigint, v bigint) WITH (shard_count = 1)".formatted(table));
            run(
                    "INSERT INTO %s SELECT n, n + %d FROM UNNEST(sequence(1, 500)) AS t(n)"
                            .formatted(table, time));
            sidecar.flush("s", table);
            assertSame("SELECT v FROM %s WHERE id = 17".formatted(table));
            assertThat(
                            run("SELECT v FROM %s WHERE id = 17".formatted(table))
                                    .getFirst()
                                    .getField(0))
                    .isEqualTo(17L + time);
            assertSame("SELECT sum(v), count(*) FROM %s WHERE id < 17".formatted(table));
            run("DROP TABLE " + table);
        }
    }

    static List<Long> seeds() {
        return LongRun.combinations(List.of(1L), List.of(2L, 3L));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void sameAsPastTheCache(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        String table = SteleQueries.newTable("changed");
        run(
                "CREATE TABLE %s (id bigint, num integer, ratio double, weight real, name varchar, day date, price decimal(12,2), r row(a bigint, b varchar)) WITH (primary_key = ARRAY['id'], shard_count = 2)"
                        .formatted(table));
        List<Long> past = new ArrayList<>();
        String fields = "a bigint, b varchar";
        for (int round = 0; round < 6; round++) {
            run(
                    "INSERT INTO %s (id, num, ratio, weight, name, day, price) VALUES %s"
                            .formatted(table, rows(random, 20 + random.nextInt(60))));
            run(
                    "UPDATE %s SET r = CAST(ROW(id, name) AS row(%s)) WHERE id %% 3 = %d"
                            .formatted(table, fields, random.nextInt(3)));
            switch (random.nextInt(5)) {
                case 0 -> run("DELETE FROM %s WHERE num = %d".formatted(table, random.nextInt(4)));
                case 1 -> run("UPDATE %s SET price = price - 1".formatted(table));
                case 2 -> sidecar.compact("s", table);
                default -> {
                    // rows stay in memory
                }
            }
            if (random.nextInt(3) > 0) {
                sidecar.flush("s", table);
            }
            if (round == 2) {
                run("ALTER TABLE " + table + " ALTER COLUMN num SET DATA TYPE bigint");
                run("ALTER TABLE " + table + " ADD COLUMN extra bigint");
            }
            if (round == 4) {
                // Of another id, with the same name and type
                run("ALTER TABLE " + table + " DROP COLUMN r.b");
                run("ALTER TABLE " + table + " ADD COLUMN r.b varchar");
                run("ALTER TABLE " + table + " RENAME COLUMN name TO title");
                run("ALTER TABLE " + table + " RENAME COLUMN title TO name");
                past.clear();
            }
            if (round == 5) {
                sidecar.restart();
            }
            for (int query = 0; query < 6; query++) {
                String version =
                        past.isEmpty() || random.nextInt(3) > 0
                                ? ""
                                : " FOR VERSION AS OF " + past.get(random.nextInt(past.size()));
                assertSame(VERIFYING, query(random, table + version));
            }
            past.add((long) run("SELECT max(\"$lsn\") FROM " + table).getFirst().getField(0));
        }
        assertThat(
                        run("SELECT sum(mismatches), sum(verified) > 0, sum(hits) > 0 FROM %s.system.caches WHERE process = 'worker' AND layer = 'fragments' AND table_name = 's.%s'"
                                        .formatted(VERIFYING, table))
                                .getFirst()
                                .getFields())
                .isEqualTo(List.of(0L, true, true));
    }

    private static String rows(SplittableRandom random, int count) {
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(
                    "(%d, %s, %s, %s, %s, %s, %s)"
                            .formatted(
                                    i * 7 % 200,
                                    value(random, EdgeValues.INTEGERS),
                                    value(random, EdgeValues.DOUBLES),
                                    value(random, EdgeValues.REALS),
                                    value(random, EdgeValues.TEXTS),
                                    value(random, EdgeValues.DATES),
                                    value(random, EdgeValues.DECIMALS)));
        }
        return String.join(", ", rows.stream().distinct().toList());
    }

    private static String value(SplittableRandom random, String... values) {
        return EdgeValues.draw(random, 2, values);
    }

    private static String query(SplittableRandom random, String table) {
        String[] wanted = {
            "id, name",
            "*",
            "r",
            "r.a, r.b",
            "price + 1, id",
            "count(*)",
            "id, ratio, weight",
            "day"
        };
        String[] conditions = {
            "num >= 1",
            "num BETWEEN -2147483648 AND 2147483647",
            "num > -2147483648",
            "num IS NULL",
            "num IS NULL OR num = 3",
            "ratio > -1.25",
            "ratio >= -1.25",
            "ratio <= 0",
            "ratio < infinity()",
            "ratio = 0",
            "weight >= 0",
            "weight < 1.5",
            "name < 'zz top'",
            "name <= 'zz top'",
            "name >= ''",
            "name IS NOT NULL",
            "day = DATE '2024-02-29'",
            "day >= DATE '1969-12-31'",
            "price BETWEEN -0.01 AND 2",
            "price > 9999999998",
            "id < 40",
            "id IN (7, 14, 21, 199)",
            "r.a > 100",
            "r.b = 'a'",
            "name LIKE '%z%'"
        };
        String condition = conditions[random.nextInt(conditions.length)];
        if (random.nextInt(2) == 0) {
            condition += " AND " + conditions[random.nextInt(conditions.length)];
        }
        return "SELECT %s FROM %s WHERE %s"
                .formatted(wanted[random.nextInt(wanted.length)], table, condition);
    }
}
