package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An INSERT of rows round thousands of partitions, by the log and by files where the log has no
 * room, into a sidecar of little memory; then what it does with them.
 */
@ExtendWith(SteleCluster.Shared.class)
final class SteleManyPartitionsIT {
    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleManyPartitionsIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    @ParameterizedTest
    @CsvSource({"files, false"}) // by the log: StelePartitionsIT
    void thousandsOfPartitions(String way, boolean keyed) throws IOException {
        run(way, keyed, 2_000, 20_000, 1);
    }

    @ParameterizedTest
    @CsvSource({"log, false", "log, true", "files, false", "files, true"})
    @Tag("long")
    void aMillionRowsOfTenThousandPartitions(String way, boolean keyed) throws IOException {
        run(way, keyed, 10_000, 1_000_000, 4);
    }

    private void run(String way, boolean keyed, int partitions, int rows, int shards)
            throws IOException {
        String catalog = "many_%s_%s".formatted(way, keyed ? "keyed" : "free");
        Map<String, String> ofSidecar =
                way.equals("log") ? Map.of() : Map.of("stele.transaction.max-size", "64kB");
        Map<String, String> small = // several buffers, none of which has all of a partition
                Map.of(
                        "stele.write.direct-threshold",
                        "0B",
                        "stele.write.sort-buffer-size",
                        rows < 1_000_000 ? "1MB" : "16MB");
        try (KilledSidecar sidecar =
                cluster.newSidecarProcess(
                        catalog, way.equals("log") ? Map.of() : small, ofSidecar, "1g")) {
            String table = catalog + ".s.t";
            queries.run(
                    "CREATE TABLE %s (p integer, v bigint, text varchar) WITH (partitioned_by = ARRAY['p'], shard_count = %s%s)"
                            .formatted(
                                    table, shards, keyed ? ", primary_key = ARRAY['p', 'v']" : ""));
            // As unordered as can be
            String insert =
                    """
                    INSERT INTO %s
                    SELECT CAST(n %% %2$s AS integer), n, 'some text of row ' || CAST(n AS varchar)
                    FROM UNNEST(sequence(0, %3$s)) t(i) CROSS JOIN UNNEST(sequence(0, 999)) u(j)
                    CROSS JOIN UNNEST(ARRAY[i * 1000 + j]) w(n)"""
                            .formatted(table, partitions, rows / 1_000 - 1);
            assertThat(queries.update(insert)).isEqualTo(rows);
            same(table, partitions, rows);
            if (way.equals("files")) {
                long files = files(catalog);
                // But those for which 64 kB of log were enough
                assertThat(files).isGreaterThan(partitions * 9L / 10);
                // Each of the writers makes one of a partition and shard, however many its buffers
                assertThat(files).isLessThanOrEqualTo((long) partitions * shards * 4);
            }
            queries.run("ALTER TABLE %s EXECUTE optimize".formatted(table));
            same(table, partitions, rows);
            queries.run("DELETE FROM %s WHERE p < 10".formatted(table));
            sidecar.kill();
            sidecar.startAgain();
            assertThat(queries.count("SELECT count(*) FROM " + table))
                    .isEqualTo(rows - 10L * rows / partitions);
            assertThat(queries.count("SELECT sum(v) FROM %s WHERE p = 11".formatted(table)))
                    .isEqualTo(sum(11, partitions, rows));
        } finally {
            queries.run("DROP CATALOG IF EXISTS " + catalog);
        }
    }

    private void same(String table, int partitions, int rows) {
        long each = rows / partitions;
        assertThat(
                        queries.run(
                                        "SELECT count(*), min(c), max(c), sum(s) FROM (SELECT p, count(*) AS c, sum(v) AS s, count_if(v %% %s <> p OR text <> 'some text of row ' || CAST(v AS varchar)) AS wrong FROM %s GROUP BY p) WHERE wrong = 0"
                                                .formatted(partitions, table))
                                .getMaterializedRows()
                                .getFirst()
                                .getFields())
                .isEqualTo(List.of((long) partitions, each, each, (long) rows * (rows - 1) / 2));
    }

    private long files(String catalog) {
        return queries.count("SELECT count(*) FROM %s.s.\"t$files\"".formatted(catalog));
    }

    private static long sum(long partition, long partitions, long rows) {
        long sum = 0;
        for (long value = partition; value < rows; value += partitions) {
            sum += value;
        }
        return sum;
    }
}
