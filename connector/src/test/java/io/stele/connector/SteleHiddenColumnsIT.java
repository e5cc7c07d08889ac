package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testing.LongRun;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Columns that every table has, and that say where a row lies. */
@ExtendWith(SteleCluster.Shared.class)
final class SteleHiddenColumnsIT {
    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleHiddenColumnsIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    static List<String> orientations() {
        return LongRun.combinations(List.of("row", "column"), List.of("row,column"));
    }

    @ParameterizedTest
    @MethodSource("orientations")
    void shardsAreThoseOfTheirRows(String orientation) {
        String table = SteleQueries.newTable("sharded");
        queries.run(
                "CREATE TABLE %s WITH (primary_key = ARRAY['nationkey'], shard_count = 3, orientation = '%s') AS SELECT * FROM tpch.tiny.nation"
                        .formatted(table, orientation));
        String byScan = "SELECT nationkey, \"$shard\" FROM " + table;
        for (int time = 0; time < 2; time++) {
            assertThat(
                            queries.column(
                                    "SELECT DISTINCT \"$shard\" FROM %s ORDER BY 1"
                                            .formatted(table)))
                    .containsExactly("0", "1", "2");
            queries.assertSame(
                    byScan + " WHERE nationkey IN (1, 5, 7, 9)",
                    "SELECT * FROM (%s) WHERE nationkey * 2 IN (2, 10, 14, 18)".formatted(byScan));
            assertThat(
                            queries.update(
                                    "UPDATE %s SET comment = 'x' WHERE \"$shard\" = 1"
                                            .formatted(table)))
                    .isEqualTo(
                            queries.count(
                                    "SELECT count(*) FROM %s WHERE comment = 'x'"
                                            .formatted(table)));
            cluster.sidecar().flush("s", table);
        }
    }

    @Test
    void filesAreThoseOfTheirRows() {
        String table = SteleQueries.newTable("placed");
        queries.run(
                "CREATE TABLE %s WITH (shard_count = 2) AS SELECT * FROM tpch.tiny.nation"
                        .formatted(table));
        String places =
                "SELECT count(*), count(\"$path\"), count(\"$file_modified_time\") FROM " + table;
        queries.assertSame(places, "VALUES (BIGINT '25', BIGINT '0', BIGINT '0')");
        cluster.sidecar().flush("s", table);
        queries.assertSame(places, "VALUES (BIGINT '25', BIGINT '25', BIGINT '25')");
        queries.assertSame(
                "SELECT \"$path\", \"$shard\", count(*) FROM %s GROUP BY 1, 2".formatted(table),
                "SELECT file_path, shard, record_count FROM \"%s$files\"".formatted(table));
        assertThat(
                        queries.value(
                                "SELECT bool_and(\"$file_modified_time\" = from_unixtime(\"$lsn\" / 65536 / 1e3)) FROM "
                                        + table))
                .isEqualTo(true);
        assertThat(
                        queries.count(
                                "SELECT count(*) FROM %1$s WHERE \"$path\" = (SELECT min(\"$path\") FROM %1$s)"
                                        .formatted(table)))
                .isBetween(1L, 25L);
        assertThat(queries.column("SHOW COLUMNS FROM " + table))
                .noneMatch(name -> name.startsWith("$"));
    }
}
