package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testing.LongRun;
import io.trino.testing.MaterializedRow;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** The first rows of an order, any few rows, and samples: what of a table is read for them. */
@ExtendWith(SteleCluster.Shared.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SteleTopNAndSamplesIT {
    private static final int ROWS = 120_000;
    private static final int FILES = 6;

    private final SteleQueries queries;
    private final SidecarFixture files;
    private Optional<String> unchanged = Optional.empty();

    SteleTopNAndSamplesIT(SteleCluster cluster) {
        this.queries = new SteleQueries(cluster);
        this.files = cluster.newSidecar("top", Map.of("stele.write.direct-threshold", "0B"));
    }

    @AfterAll
    void closeSidecar() {
        queries.run("DROP CATALOG top");
        files.close();
    }

    /**
     * Three files of 20,000 rows in each of two shards, one range of values after the other; four
     * would be merged.
     */
    private String newTable(String properties) {
        String table = "top.s." + SteleQueries.newTable("top");
        queries.run(
                "CREATE TABLE %s (k bigint, v bigint, d decimal(20, 2), t varchar, half bigint) WITH (%sshard_count = 2)"
                        .formatted(table, properties));
        for (int part = 0; part < 3; part++) {
            queries.update(
                    """
                    INSERT INTO %s SELECT i, i * 3, CAST(-i AS decimal(20, 2)), CAST(i AS varchar), IF(i %% 2 = 0, i)
                    FROM UNNEST(sequence(%s, %s)) a(x), UNNEST(sequence(1, 10)) b(y), UNNEST(ARRAY[x * 10 + y]) c(i)
                    """
                            .formatted(table, part * 4000, part * 4000 + 3999));
        }
        return table;
    }

    /** One for all tests that only read it. */
    private String unchangedTable() {
        if (unchanged.isEmpty()) {
            unchanged = Optional.of(newTable("primary_key = ARRAY['k'], "));
        }
        return unchanged.orElseThrow();
    }

    @Test
    void explainShowsTheOrder() {
        String table = unchangedTable();
        assertThat(queries.explain("SELECT k FROM %s ORDER BY v DESC, t LIMIT 7".formatted(table)))
                .contains("topN=[7 by v DESC NULLS LAST, t ASC NULLS LAST]");
        assertThat(queries.explain("SELECT k FROM %s ORDER BY t LIMIT 7".formatted(table)))
                .doesNotContain("topN=");
        assertThat(
                        queries.explain(
                                "SELECT k FROM %s WHERE v > 5 ORDER BY k LIMIT 7".formatted(table)))
                .doesNotContain("topN=");
    }

    @Test
    void filesAndRowGroupsBehindTheFirstRowsAreNotRead() {
        String table = unchangedTable();
        // The order of the files: each gives its first rows
        assertFirst(table, "k", "k", 10, 20_000);
        assertFirst(table, "v, k", "v, k", 10, 40_000);
        assertFirst(table, "k DESC", "k DESC", 10, 40_000);
        assertFirst(table, "d", "d", 10, 40_000);
        assertFirst(table, "d DESC, t", "d DESC, t", 10, 40_000);
        assertFirst(table, "half NULLS LAST", "half", 10, 40_000);
        assertFirst(table, "half DESC NULLS LAST", "half DESC NULLS LAST", 10, 40_000);
        // Nulls are everywhere
        assertFirst(table, "half NULLS FIRST", "half NULLS FIRST", 60_000, ROWS);
        assertFirst(table, "half DESC NULLS FIRST", "half DESC NULLS FIRST", 60_000, ROWS);
        // More than there are
        assertFirst(table, "v", "v", ROWS + 1, ROWS);
        assertFirst(table, "v", "v", 50_000, 80_000);
        assertThat(
                        queries.run("SELECT k FROM %s ORDER BY v LIMIT 0".formatted(table))
                                .getRowCount())
                .isZero();
    }

    @Test
    void changedRowsCount() {
        String table = newTable("primary_key = ARRAY['k'], ");
        queries.update("DELETE FROM %s WHERE k <= 15000".formatted(table));
        queries.update("UPDATE %s SET v = -k WHERE k = 99999".formatted(table));
        queries.update("UPDATE %s SET v = NULL WHERE k %% 1000 = 0".formatted(table));
        queries.update("INSERT INTO %s (k, v) VALUES (-5, 0), (-6, NULL)".formatted(table));
        for (String order :
                LongRun.combinations(
                        List.of("k", "v DESC", "v NULLS FIRST, k", "d DESC, k"),
                        List.of("k DESC", "v", "v DESC NULLS FIRST, k"))) {
            for (int count : LongRun.combinations(List.of(5, 30_000), List.of(1, 4_990))) {
                // Without a key that decides, the values do
                String columns = order.contains("k") ? "k, v" : "v";
                String rows =
                        "SELECT %s FROM %%s ORDER BY %s LIMIT %s".formatted(columns, order, count);
                String unordered = "(SELECT k, v, d FROM %s WHERE rand() >= 0)".formatted(table);
                queries.assertSameContent(
                        rows.formatted(table), rows.formatted(unordered), columns);
            }
        }
    }

    @Test
    void clusteredAndPartitionedTables() {
        String clustered = newTable("clustering_key = ARRAY['half', 'k'], ");
        assertFirst(clustered, "half", "half", 10, 40_000);
        assertFirst(clustered, "half, k", "half, k", 10, 40_000);
        String partitioned = "top.s." + SteleQueries.newTable("top");
        queries.run(
                "CREATE TABLE %s (p bigint, v bigint) WITH (partitioned_by = ARRAY['p'])"
                        .formatted(partitioned));
        queries.update(
                "INSERT INTO %s SELECT x / 250, x FROM UNNEST(sequence(0, 999)) a(x)"
                        .formatted(partitioned));
        String ofPartition =
                "SELECT v FROM %s WHERE p = 2 ORDER BY v DESC LIMIT 3".formatted(partitioned);
        assertThat(queries.explain(ofPartition)).contains("topN=[3 by v DESC NULLS LAST]");
        assertThat(queries.column(ofPartition)).containsExactly("749", "748", "747");
        String limited = "SELECT v FROM %s WHERE p = 2 LIMIT 3".formatted(partitioned);
        assertThat(queries.explain(limited)).contains("limit=3");
        assertThat(queries.column(limited))
                .hasSize(3)
                .allMatch(v -> Long.parseLong(v) >= 500 && Long.parseLong(v) < 750);
    }

    @Test
    void rowTablesGiveTheirFirstKeys() {
        String table = newTable("primary_key = ARRAY['k'], orientation = 'row', ");
        assertFirst(table, "k", "k", 10, 20);
        assertThat(queries.scannedRows("SELECT * FROM %s ORDER BY v LIMIT 10".formatted(table)))
                .isEqualTo(ROWS);
    }

    @Test
    void aLimitTakesAsFewFilesAsHaveTheRows() {
        String table = newTable("primary_key = ARRAY['k'], ");
        // Not more than a page of one file
        assertThat(queries.scannedRows("SELECT * FROM %s LIMIT 5".formatted(table)))
                .isLessThanOrEqualTo(10_000);
        assertThat(queries.run("SELECT * FROM %s LIMIT 15000".formatted(table)).getRowCount())
                .isEqualTo(15_000);
        queries.update("DELETE FROM %s WHERE k > 20".formatted(table));
        assertThat(queries.run("SELECT * FROM %s LIMIT 19".formatted(table)).getRowCount())
                .isEqualTo(19);
        queries.update("INSERT INTO %s (k) VALUES (-1), (-2)".formatted(table));
        assertThat(queries.run("SELECT * FROM %s LIMIT 50".formatted(table)).getRowCount())
                .isEqualTo(22);
    }

    @Test
    void samplesAreRowGroups() {
        String table = unchangedTable();
        String half = "SELECT k FROM %s TABLESAMPLE SYSTEM (50)".formatted(table);
        assertThat(queries.explain(half)).contains("sample=50.0%");
        assertThat(queries.explain("SELECT k FROM %s TABLESAMPLE BERNOULLI (50)".formatted(table)))
                .doesNotContain("sample=");
        long some = 0;
        boolean isPartOfFile = false;
        for (int round = 0; round < 8; round++) {
            for (MaterializedRow file :
                    queries.run(
                                    "SELECT \"$path\", count(*) FROM %s TABLESAMPLE SYSTEM (50) GROUP BY 1"
                                            .formatted(table))
                            .getMaterializedRows()) {
                some += (long) file.getField(1);
                isPartOfFile |= (long) file.getField(1) < ROWS / FILES * 3 / 4;
            }
        }
        // Of a file's two row groups often one: 48 times not has a probability of 2^-48
        assertThat(isPartOfFile).isTrue();
        // 12 row groups of 8 rounds, each with probability 1/2: nearly 6 standard deviations
        assertThat(some / 8).isBetween(ROWS / 5L, ROWS * 4L / 5);
        assertThat(queries.count("SELECT count(*) FROM %s TABLESAMPLE SYSTEM (0)".formatted(table)))
                .isZero();
        assertThat(
                        queries.count(
                                "SELECT count(*) FROM %s TABLESAMPLE SYSTEM (100)"
                                        .formatted(table)))
                .isEqualTo(ROWS);
        assertThat(queries.scannedRows("SELECT k FROM %s TABLESAMPLE SYSTEM (0)".formatted(table)))
                .isZero();
        // A key is looked up in the table, not in a sample
        assertThat(
                        queries.count(
                                "SELECT count(*) FROM %s TABLESAMPLE SYSTEM (0) WHERE k = 5"
                                        .formatted(table)))
                .isZero();
        List<MaterializedRow> limited =
                queries.run("SELECT k FROM %s TABLESAMPLE SYSTEM (100) LIMIT 5".formatted(table))
                        .getMaterializedRows();
        assertThat(limited).hasSize(5);
    }

    @Test
    void rowsInMemoryAreSampledOneByOne() {
        String table = SteleQueries.newTable("sampled");
        queries.run("CREATE TABLE %s (k bigint)".formatted(table));
        queries.update(
                "INSERT INTO %s SELECT x FROM UNNEST(sequence(1, 10000)) a(x)".formatted(table));
        assertThat(
                        queries.count(
                                "SELECT count(*) FROM %s TABLESAMPLE SYSTEM (50)".formatted(table)))
                .isBetween(4_000L, 6_000L);
        assertThat(
                        queries.run(
                                        "SELECT k FROM %s TABLESAMPLE SYSTEM (50) LIMIT 3000"
                                                .formatted(table))
                                .getRowCount())
                .isEqualTo(3_000);
    }

    /**
     * @param mostRows that scans may give
     */
    private void assertFirst(String table, String order, String sorted, int count, long mostRows) {
        String query =
                "SELECT k, v, half FROM %s ORDER BY %s LIMIT %s".formatted(table, order, count);
        assertThat(queries.explain(query)).as(query).contains("topN=[");
        assertThat(queries.scannedRows(query)).as(query).isPositive().isLessThanOrEqualTo(mostRows);
        String column = sorted.split("[ ,]")[0];
        String values = "SELECT %s FROM %%s ORDER BY %s LIMIT %s".formatted(column, sorted, count);
        queries.assertSameContent(
                values.formatted(table),
                values.formatted("(SELECT * FROM %s WHERE rand() >= 0)".formatted(table)),
                column);
    }
}
