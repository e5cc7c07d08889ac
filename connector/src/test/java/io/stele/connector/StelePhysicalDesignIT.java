package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bitmap columns, dictionary columns and segment keys: the same answers from fewer rows. */
@ExtendWith(SteleCluster.Shared.class)
final class StelePhysicalDesignIT {
    private static final String ROWS =
            """
            SELECT orderkey AS id, custkey AS customer, orderstatus AS status, CAST(orderdate AS timestamp(3)) AS at,
              IF(custkey %% 7 = 0, NULL, custkey %% 100) AS region
            FROM tpch.tiny.orders CROSS JOIN UNNEST(sequence(1, 6))""";

    private final SteleCluster cluster;
    private final SteleQueries queries;

    StelePhysicalDesignIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    @Test
    void bitmapColumnsOfWorkersFilesSkipRows() {
        String plain = SteleQueries.newTable("plain");
        String table = SteleQueries.newTable("bitmaps");
        queries.run("CREATE TABLE %s AS ".formatted(plain) + ROWS.formatted());
        queries.run(
                "CREATE TABLE %s WITH (bitmap_columns = ARRAY['customer', 'region', 'status']) AS "
                                .formatted(table)
                        + ROWS.formatted());
        sameAnswersFromBitmaps(plain, table);

        queries.update("DELETE FROM %s WHERE customer = 88".formatted(plain));
        queries.update("DELETE FROM %s WHERE customer = 88".formatted(table));
        sameAnswersFromBitmaps(plain, table);

        cluster.sidecar().compact("s", table);
        sameAnswersFromBitmaps(plain, table);
    }

    @Test
    void bitmapColumnsOfTheSidecarsFilesSkipRows() {
        String plain = SteleQueries.newTable("plain");
        String table = SteleQueries.newTable("bitmaps");
        String columns =
                "(n bigint, id bigint, customer bigint, status varchar(1), at timestamp(3), region bigint)";
        for (String name : new String[] {plain, table}) {
            queries.run(
                    "CREATE TABLE %s %s WITH (primary_key = ARRAY['n'], shard_count = 1%s)"
                            .formatted(
                                    name,
                                    columns,
                                    name.equals(table)
                                            ? ", bitmap_columns = ARRAY['customer', 'region']"
                                            : ""));
            queries.update(
                    "INSERT INTO %s SELECT row_number() OVER (ORDER BY id, customer), * FROM (%s)"
                            .formatted(name, ROWS.formatted()));
            cluster.sidecar().flush("s", name);
        }
        sameAnswersFromBitmaps(plain, table);
        for (String name : new String[] {plain, table}) {
            queries.update("UPDATE %s SET region = 1000 WHERE customer = 88".formatted(name));
        }
        sameAnswersFromBitmaps(plain, table);
        cluster.sidecar().flush("s", table);
        cluster.sidecar().compact("s", table);
        sameAnswersFromBitmaps(plain, table);
    }

    /**
     * Workers' files compress more bytes together than a sparse read would fetch by itself. Stripes
     * below 8 MiB are read whole in any case, so the rows are wide.
     */
    @Test
    void fewRowGroupsOfLargeChunks() {
        String noise =
                IntStream.range(0, 8)
                        .mapToObj(
                                k ->
                                        "from_big_endian_64(xxhash64(to_big_endian_64(n * 8 + %d))) AS noise%d"
                                                .formatted(k, k))
                        .collect(Collectors.joining(", "));
        String rows =
                """
                SELECT n, orderkey, %s
                FROM (SELECT orderkey, orderkey * 20 + k AS n FROM tpch.tiny.orders CROSS JOIN UNNEST(sequence(1, 20)) AS t(k))"""
                        .formatted(noise);
        String table = SteleQueries.newTable("bitmaps");
        queries.run(
                "CREATE TABLE "
                        + table
                        + " WITH (primary_key = ARRAY['n'], shard_count = 1, bitmap_columns = ARRAY['orderkey']) AS "
                        + rows);
        for (String predicate : new String[] {"orderkey = 7", "orderkey IN (7, 29984, 59904)"}) {
            String query =
                    "SELECT count(*), sum(n), bitwise_xor_agg(noise0), bitwise_xor_agg(noise7) FROM %s WHERE "
                            + predicate;
            queries.assertSame(query.formatted(table), query.formatted("(" + rows + ")"));
        }
    }

    private void sameAnswersFromBitmaps(String plain, String table) {
        queries.assertSameForEach(
                "SELECT count(*), sum(id), min(at), max(status) FROM %s",
                List.of(
                        "customer = 88",
                        "customer IN (88, 91, 94, 100000)",
                        "customer = -5",
                        "customer BETWEEN 80 AND 90 AND region = 3",
                        "customer = 88 AND (region = 88 OR region IS NULL)",
                        "region IS NULL AND customer = 91",
                        "customer > 1490",
                        "customer <> 88 AND region = 1000"),
                table,
                plain);
        long matching =
                queries.count("SELECT count(*) FROM %s WHERE customer = 91".formatted(plain));
        assertThat(queries.scannedRows("SELECT * FROM %s WHERE customer = 91".formatted(table)))
                .as("rows given to the engine")
                .isEqualTo(matching);
    }

    @Test
    void aSegmentKeyCutsFiles() {
        String plain = SteleQueries.newTable("plain");
        String table = SteleQueries.newTable("segments");
        queries.run("CREATE TABLE %s AS ".formatted(plain) + ROWS.formatted());
        queries.run(
                "CREATE TABLE %s WITH (segment_key = ARRAY['at'], dictionary_columns = ARRAY['status']) AS "
                                .formatted(table)
                        + ROWS.formatted());
        cluster.sidecar().compact("s", table);
        queries.assertSameForEach(
                "SELECT count(*), sum(id), min(at) FROM %s",
                List.of(
                        "at BETWEEN TIMESTAMP '1995-01-01 00:00:00' AND TIMESTAMP '1995-02-01 00:00:00'",
                        "at > TIMESTAMP '1998-01-01 00:00:00' AND status = 'O'",
                        "at < TIMESTAMP '1900-01-01 00:00:00'"),
                table,
                plain);
    }

    @Test
    void rowsExpire() {
        for (String orientation : new String[] {"row", "column"}) {
            String table = SteleQueries.newTable("expiring");
            queries.run(
                    "CREATE TABLE %s (k bigint, v varchar) WITH (primary_key = ARRAY['k'], orientation = '%s', time_to_live = '1h')"
                            .formatted(table, orientation));
            queries.update("INSERT INTO %s VALUES (1, 'file'), (2, 'file')".formatted(table));
            cluster.sidecar().flush("s", table);
            queries.update("INSERT INTO %s VALUES (3, 'memory')".formatted(table));
            assertThat(queries.count("SELECT count(*) FROM " + table)).isEqualTo(3);

            queries.run("ALTER TABLE %s SET PROPERTIES time_to_live = '1ms'".formatted(table));
            assertThat(queries.count("SELECT count(*) FROM " + table)).isZero();
            queries.run("ALTER TABLE %s SET PROPERTIES time_to_live = DEFAULT".formatted(table));
            assertThat(queries.count("SELECT count(*) FROM " + table)).isZero();
            queries.update("INSERT INTO %s VALUES (2, 'again')".formatted(table));
            assertThat(queries.column("SELECT v FROM " + table)).containsExactly("again");
            cluster.sidecar().flush("s", table);
            assertThat(queries.column("SELECT v FROM %s WHERE k < 3".formatted(table)))
                    .containsExactly("again");
        }
    }

    @Test
    void filesOfEveryCompressionAreRead() {
        String plain = SteleQueries.newTable("plain");
        String table = SteleQueries.newTable("compressed");
        queries.run("CREATE TABLE %s AS %s".formatted(plain, ROWS.formatted()));
        queries.run(
                "CREATE TABLE %s WITH (compression = 'zstd') AS %s"
                        .formatted(table, ROWS.formatted()));
        queries.assertSame(
                "SELECT count(*), sum(id), max(at) FROM " + table,
                "SELECT count(*), sum(id), max(at) FROM " + plain);
        queries.run("ALTER TABLE %s SET PROPERTIES compression = 'none'".formatted(table));
        for (String name : new String[] {plain, table}) {
            queries.update(
                    "INSERT INTO %s SELECT * FROM (%s) WHERE id < 500"
                            .formatted(name, ROWS.formatted()));
            cluster.sidecar().flush("s", name);
        }
        queries.assertSame(
                "SELECT count(*), sum(id), max(at) FROM " + table,
                "SELECT count(*), sum(id), max(at) FROM " + plain);
        cluster.sidecar().compact("s", table);
        queries.assertSame(
                "SELECT count(*), sum(id), max(at) FROM " + table,
                "SELECT count(*), sum(id), max(at) FROM " + plain);
    }
}
