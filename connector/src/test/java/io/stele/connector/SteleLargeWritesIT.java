package io.stele.connector;

import static io.trino.spi.StandardErrorCode.CONSTRAINT_VIOLATION;
import static io.trino.testing.assertions.Assert.assertEventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.airlift.units.Duration;
import io.stele.testing.LongRun;
import io.trino.execution.QueryManager;
import io.trino.server.BasicQueryInfo;
import io.trino.spi.QueryId;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements that write files: how many writers they get, and what is left of those that fail. */
@ExtendWith(SteleCluster.OfTwoNodes.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SteleLargeWritesIT {
    private final SteleCluster cluster;
    private final SteleQueries queries;
    private final SidecarFixture sidecar;

    SteleLargeWritesIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
        this.sidecar =
                cluster.newSidecar(
                        "large",
                        Map.of(
                                "stele.write.direct-threshold", "0B",
                                "stele.write.sort-buffer-size", "1MB"));
    }

    @AfterAll
    void closeSidecar() {
        queries.run("DROP CATALOG large");
        sidecar.close();
    }

    @Test
    void writersAreScaled() {
        String select = " AS SELECT * FROM tpch.tiny.lineitem";
        assertThat(plan("CREATE TABLE large.s.scaled" + select))
                .contains("[ROUND_ROBIN (scale writers)]");
        queries.run("CREATE TABLE large.s.scaled" + select);
        assertThat(plan("INSERT INTO large.s.scaled SELECT * FROM tpch.tiny.lineitem"))
                .contains("[ROUND_ROBIN (scale writers)]");
        // Rows of one key meet in one writer
        assertThat(
                        plan(
                                "CREATE TABLE large.s.keyed WITH (primary_key = ARRAY['orderkey', 'linenumber'])"
                                        + select))
                .doesNotContain("scale writers")
                .contains("[large:shard[4]]");
        queries.assertSame(
                "SELECT count(*), sum(orderkey), sum(extendedprice) FROM large.s.scaled",
                "SELECT count(*), sum(orderkey), sum(extendedprice) FROM tpch.tiny.lineitem");
    }

    private String plan(String sql) {
        return (String) queries.value("EXPLAIN (TYPE DISTRIBUTED) " + sql);
    }

    /** While its writers have written files, and are writing others. */
    @Test
    void aCancelledStatementLeavesNeitherTableNorFiles() {
        List<Path> before = sidecar.dataFiles(); // some may go meanwhile
        String sql =
                "CREATE TABLE large.s.cancelled WITH (primary_key = ARRAY['orderkey', 'linenumber']) AS SELECT l.* FROM tpch.sf1.lineitem l, UNNEST(sequence(1, 1000)) u(x)";
        CompletableFuture<Throwable> failure =
                CompletableFuture.supplyAsync(() -> catchThrowable(() -> queries.run(sql)));
        assertEventually(
                () -> assertThat(sidecar.dataFiles()).anyMatch(file -> !before.contains(file)));
        cancel(sql);
        assertThat(failure.join()).hasMessageContaining("cancel");
        assertThat(queries.column("SHOW TABLES FROM large.s LIKE 'cancelled'")).isEmpty();
        assertEventually(
                new Duration(3, TimeUnit.MINUTES),
                () -> assertThat(before).containsAll(sidecar.dataFiles()));
        queries.run("CREATE TABLE large.s.cancelled AS SELECT 1 x");
        queries.run("DROP TABLE large.s.cancelled");
    }

    @Test
    void aStatementThatFailsHalfWayLeavesNeitherTableNorFiles() {
        List<Path> before = sidecar.dataFiles(); // some may go meanwhile
        // The last order divides by zero, when the others are in files
        assertThat(
                        queries.failure(
                                "CREATE TABLE large.s.failed WITH (primary_key = ARRAY['orderkey', 'linenumber']) AS SELECT *, 1 / (orderkey - 60000) AS z FROM tpch.tiny.lineitem"))
                .hasMessageContaining("Division by zero");
        assertThat(queries.column("SHOW TABLES FROM large.s LIKE 'failed'")).isEmpty();
        assertEventually(
                new Duration(3, TimeUnit.MINUTES),
                () -> assertThat(before).containsAll(sidecar.dataFiles()));
    }

    /** By the log and by files of their own. */
    @ParameterizedTest
    @ValueSource(strings = {"stele", "large"})
    void whatIsAboveALimitIsRefusedOnEveryWay(String catalog) {
        String rows = catalog + ".s.limited_rows";
        queries.run(
                "CREATE TABLE %s (id bigint, v varchar) WITH (primary_key = ARRAY['id'])"
                        .formatted(rows));
        String megabytes =
                "replace(lpad('', CAST(%s + 0 * random() AS bigint), 'x'), 'x', lpad('', 1000, 'y'))";
        assertThat(
                        queries.failure(
                                "INSERT INTO %s SELECT 1, %s"
                                        .formatted(rows, megabytes.formatted(17_000))))
                .hasMessageContaining(
                        "Expected a row of s.limited_rows of at most 16777216 bytes, found about 170000")
                .hasMessageContaining("of which column 'v' has 170000");
        queries.run("INSERT INTO %s SELECT 2, %s".formatted(rows, megabytes.formatted(9_000)));
        assertThat(
                        queries.failure(
                                "UPDATE %s SET v = replace(v, 'y', 'yy') WHERE id = 2"
                                        .formatted(rows)))
                .hasMessageContaining("Expected a row of s.limited_rows of at most 16777216 bytes");
        assertThat(queries.count("SELECT length(v) FROM " + rows)).isEqualTo(9_000_000);
        queries.run("DROP TABLE " + rows);

        String parts = catalog + ".s.limited_partitions";
        queries.run(
                "CREATE TABLE %s (p varchar, c varchar) WITH (partitioned_by = ARRAY['p'], clustering_key = ARRAY['c'])"
                        .formatted(parts));
        assertThat(
                        queries.failure(
                                "INSERT INTO %s SELECT lpad('', 4096, 'p'), ''".formatted(parts)))
                .hasMessageContaining("Expected a partition (of 'p') of at most 4096 bytes");
        queries.run("INSERT INTO %s SELECT '', lpad('', 70000, 'c')".formatted(parts));
        assertThat(queries.count("SELECT length(c) FROM " + parts)).isEqualTo(70_000);
        queries.run("DROP TABLE " + parts);

        String keys = catalog + ".s.limited_keys";
        queries.run(
                "CREATE TABLE %s (id varchar) WITH (primary_key = ARRAY['id'])".formatted(keys));
        queries.assertFails(
                "INSERT INTO %s SELECT lpad('', 70000, 'k')".formatted(keys),
                CONSTRAINT_VIOLATION,
                "Expected a key of at most 65536 bytes");
        queries.run("DROP TABLE " + keys);
    }

    /** What has begun to be written by then leaves neither rows nor files. */
    @ParameterizedTest
    @ValueSource(strings = {"stele", "large"})
    void aRowAboveTheLimitAmongOthersEndsItsStatement(String catalog) {
        SidecarFixture own = catalog.equals("large") ? sidecar : cluster.sidecar();
        String table = catalog + "." + "s.limited_merge";
        queries.run(
                "CREATE TABLE %s (id bigint, v varchar) WITH (primary_key = ARRAY['id'])"
                        .formatted(table));
        queries.run("INSERT INTO %s VALUES (1, 'a'), (2, 'b')".formatted(table));
        own.flush("s", "limited_merge");
        List<Path> before = own.dataFiles();
        // Of thousands of rows one
        String rows =
                "SELECT n AS id, IF(n = 2999, lpad('', 9000 + CAST(n AS integer), 'y'), 'x') AS short FROM UNNEST(sequence(1, 3000)) t(n)";
        String long17 =
                "(SELECT id, IF(id = 2999, %s, short) AS v FROM (%s))"
                        .formatted("replace(short, 'y', lpad('', 1500, 'z'))", rows);
        String refusal = "of at most 16777216 bytes, found about 1799";
        assertThat(
                        queries.failure(
                                "MERGE INTO %s t USING %s s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)"
                                        .formatted(table, long17)))
                .hasMessageContaining("Expected a row of s.limited_merge " + refusal)
                .hasMessageContaining("of which column 'v' has 1799");
        assertThat(queries.failure("INSERT INTO %s SELECT * FROM %s".formatted(table, long17)))
                .hasMessageContaining("Expected a row of s.limited_merge " + refusal);
        for (String properties : new String[] {"", "WITH (primary_key = ARRAY['id'])"}) {
            assertThat(
                            queries.failure(
                                    "CREATE TABLE %s.s.limited_copy %s AS SELECT * FROM %s"
                                            .formatted(catalog, properties, long17)))
                    .hasMessageContaining("Expected a row of s.limited_copy " + refusal);
            assertThat(
                            queries.column(
                                    "SHOW TABLES FROM %s.s LIKE 'limited_copy'".formatted(catalog)))
                    .isEmpty();
        }
        assertThat(queries.column("SELECT v FROM %s ORDER BY id".formatted(table)))
                .containsExactly("a", "b");
        if (own == sidecar) { // the other one has more users
            assertEventually(
                    new Duration(3, TimeUnit.MINUTES),
                    () -> assertThat(before).containsAll(own.dataFiles()));
        }
        queries.run("DROP TABLE " + table);
    }

    static List<String> ways() {
        return LongRun.combinations(
                List.of("stele, orientation = 'row'", "large, clustering_key = ARRAY['id']"),
                List.of(
                        "stele, orientation = 'row,column'",
                        "stele, clustering_key = ARRAY['id']"));
    }

    /** Several rows near the limit: more than a message has room for. */
    @ParameterizedTest
    @MethodSource("ways")
    void rowsUpToTheLimitAreWrittenReadAndMerged(String where) {
        String catalog = where.substring(0, where.indexOf(','));
        String table = catalog + ".s." + SteleQueries.newTable("near");
        SidecarFixture own = catalog.equals("large") ? sidecar : cluster.sidecar();
        queries.run(
                "CREATE TABLE %s (id bigint, v varchar) WITH (primary_key = ARRAY['id'], shard_count = 1%s)"
                        .formatted(table, where.substring(where.indexOf(','))));
        String v =
                "replace(lpad('', CAST(16000 + 0 * n AS bigint), 'x'), 'x', lpad('', 1000, 'y'))";
        for (int first : new int[] {1, 4}) {
            assertThat(
                            queries.update(
                                    "INSERT INTO %s SELECT n, %s FROM UNNEST(sequence(%s, %s)) t(n)"
                                            .formatted(table, v, first, first + 4)))
                    .isEqualTo(5);
            own.flush("s", table.substring(table.lastIndexOf('.') + 1));
        }
        for (int time = 0; time < 2; time++) {
            assertThat(queries.column("SELECT length(v) FROM %s ORDER BY id".formatted(table)))
                    .hasSize(8)
                    .containsOnly("16000000");
            assertThat(queries.count("SELECT length(v) FROM %s WHERE id = 5".formatted(table)))
                    .isEqualTo(16_000_000);
            own.compact("s", table.substring(table.lastIndexOf('.') + 1));
        }
        queries.run("DROP TABLE " + table);
    }

    private void cancel(String sql) {
        QueryManager queryManager = cluster.runner().getCoordinator().getQueryManager();
        QueryId query =
                queryManager.getQueries().stream()
                        .filter(info -> info.getQuery().equals(sql) && !info.getState().isDone())
                        .map(BasicQueryInfo::getQueryId)
                        .findFirst()
                        .orElseThrow();
        queryManager.cancelQuery(query);
    }
}
