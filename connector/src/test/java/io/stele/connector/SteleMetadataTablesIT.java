package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The tables beside a table. */
@ExtendWith(SteleCluster.Shared.class)
final class SteleMetadataTablesIT {
    private final SteleQueries queries;

    SteleMetadataTablesIT(SteleCluster cluster) {
        this.queries = new SteleQueries(cluster);
    }

    private static String beside(String table, String kind) {
        int name = table.lastIndexOf('.') + 1;
        return table.substring(0, name) + '"' + table.substring(name) + '$' + kind + '"';
    }

    private String rows(String sql) {
        return queries.run(sql).getMaterializedRows().toString();
    }

    private void flush(String table) {
        queries.run(
                "CALL system.flush('s', '%s')"
                        .formatted(table.substring(table.lastIndexOf('.') + 1)));
    }

    @Test
    void compactingLeavesFewerFiles() {
        String table = SteleQueries.newTable("compacted");
        queries.run(
                "CREATE TABLE %s (a bigint) WITH (primary_key = ARRAY['a'], shard_count = 1)"
                        .formatted(table));
        for (int i = 0; i < 3; i++) {
            queries.update("INSERT INTO %s VALUES %d".formatted(table, i));
            flush(table);
        }
        long before = queries.count("SELECT count(*) FROM " + beside(table, "files"));
        queries.run(
                "CALL system.compact('s', '%s')"
                        .formatted(table.substring(table.lastIndexOf('.') + 1)));
        assertThat(queries.count("SELECT count(*) FROM " + beside(table, "files")))
                .isLessThan(before);
        assertThat(queries.count("SELECT sum(record_count) FROM " + beside(table, "files")))
                .isEqualTo(3);
        assertThatThrownBy(() -> queries.run("CALL system.flush('s', 'no_such_table')"))
                .hasMessageContaining("no_such_table");
    }

    @Test
    void filesAndShardsShowWhereTheRowsAre() {
        String table = SteleQueries.newTable("listed");
        queries.run(
                """
                CREATE TABLE %s WITH (primary_key = ARRAY['orderkey'], shard_count = 2, indexes = ARRAY['by_customer(custkey)'])
                AS SELECT orderkey, custkey, totalprice FROM tpch.tiny.orders
                """
                        .formatted(table));
        flush(table);
        String files = beside(table, "files");
        String shards = beside(table, "shards");
        assertThat(
                        queries.count(
                                "SELECT sum(record_count) FROM %s WHERE index_name IS NULL"
                                        .formatted(files)))
                .isEqualTo(15_000);
        assertThat(rows("SELECT DISTINCT shard FROM %s ORDER BY 1".formatted(files)))
                .isEqualTo("[[0], [1]]");
        assertThat(
                        rows(
                                "SELECT DISTINCT file_format, index_name FROM %s WHERE index_name IS NULL"
                                        .formatted(files)))
                .isEqualTo("[[ORC, null]]");
        assertThat(
                        queries.count(
                                "SELECT count(*) FROM %s WHERE min_lsn > max_lsn OR file_size_in_bytes < 1 OR schema_version <> 1"
                                        .formatted(files)))
                .isZero();
        queries.update(
                "INSERT INTO %s VALUES (-1, 1, 1e0), (-2, 2, 2e0), (-3, 3, 3e0)".formatted(table));
        queries.assertSame(
                "SELECT count(*), sum(file_count), sum(total_size) FROM " + shards,
                "SELECT BIGINT '2', count(*), sum(file_size_in_bytes) FROM " + files);
        assertThat(queries.count("SELECT sum(memory_rows) FROM " + shards)).isEqualTo(3);
        assertThat(queries.count("SELECT count(DISTINCT node) FROM " + shards)).isEqualTo(1);
        queries.update("DELETE FROM %s WHERE orderkey BETWEEN 1 AND 1000".formatted(table));
        flush(table);
        assertThat(queries.count("SELECT sum(memory_rows) FROM " + shards)).isZero();
        assertThat(
                        queries.count(
                                "SELECT count(*) FROM %s WHERE index_name = 'by_customer' AND file_format = 'ROW'"
                                        .formatted(files)))
                .isPositive();
        assertThat(
                        queries.count(
                                "SELECT sum(deleted_count) FROM %s WHERE index_name IS NULL"
                                        .formatted(files)))
                .isEqualTo(
                        queries.count(
                                "SELECT count(*) FROM tpch.tiny.orders WHERE orderkey BETWEEN 1 AND 1000"));
    }

    @Test
    void filesOfPartitionsHaveTheirValues() {
        String table = SteleQueries.newTable("by_status");
        queries.run(
                """
                CREATE TABLE %s WITH (partitioned_by = ARRAY['status', 'priority'])
                AS SELECT orderkey, orderstatus AS status, orderpriority AS priority FROM tpch.tiny.orders
                """
                        .formatted(table));
        flush(table);
        queries.assertSame(
                "SELECT partition.status, partition.priority, sum(record_count) FROM %s GROUP BY 1, 2"
                        .formatted(beside(table, "files")),
                "SELECT status, priority, count(*) FROM %s GROUP BY 1, 2".formatted(table));
    }

    @Test
    void keysAndIndexesAreShown() {
        String table = SteleQueries.newTable("indexed");
        queries.run(
                """
                CREATE TABLE %s (a bigint NOT NULL, b varchar NOT NULL, c date, d bigint)
                WITH (primary_key = ARRAY['b', 'a'], shard_count = 1, indexes = ARRAY['by_c(c, d)', 'unique only_d(d)'])
                """
                        .formatted(table));
        assertThat(rows("SELECT * FROM %s".formatted(beside(table, "indexes"))))
                .isEqualTo(
                        "[[PRIMARY, [b, a], true, true, true], [by_c, [c, d], false, false, true], [only_d, [d], false, true, true]]");
        String plain = SteleQueries.newTable("plain");
        queries.run("CREATE TABLE %s (a bigint)".formatted(plain));
        assertThat(rows("SELECT * FROM %s".formatted(beside(plain, "indexes")))).isEqualTo("[]");
    }

    @Test
    void propertiesAreShownWithTheirDefaults() {
        String table = SteleQueries.newTable("described");
        queries.run(
                """
                CREATE TABLE %s (a bigint NOT NULL, b varchar)
                WITH (primary_key = ARRAY['a'], orientation = 'row', retention = '2h', indexes = ARRAY['by_b(b)'])
                """
                        .formatted(table));
        queries.run("ALTER TABLE %s ADD COLUMN c bigint".formatted(table));
        assertThat(
                        rows(
                                "SELECT * FROM %s WHERE key <> 'table_id' ORDER BY key"
                                        .formatted(beside(table, "properties"))))
                .isEqualTo(
                        "[[indexes, by_b(b)], [orientation, row], [primary_key, a], [retention, 2.00h], [schema_version, 2], [shard_count, 4]]");
    }

    @Test
    void optimizeMergesFiles() {
        String table = SteleQueries.newTable("optimized");
        queries.run(
                "CREATE TABLE %s (a bigint) WITH (primary_key = ARRAY['a'], shard_count = 1)"
                        .formatted(table));
        for (int i = 0; i < 6; i++) {
            queries.update("INSERT INTO %s SELECT orderkey FROM tpch.tiny.orders".formatted(table));
            queries.run("ALTER TABLE %s EXECUTE flush".formatted(table));
        }
        assertThat(queries.count("SELECT memory_rows FROM " + beside(table, "shards"))).isZero();
        queries.run("ALTER TABLE %s EXECUTE optimize".formatted(table));
        assertThat(queries.count("SELECT count(*) FROM " + table)).isEqualTo(15_000);
        assertThat(
                        queries.count(
                                "SELECT count(*) FROM %s WHERE record_count > deleted_count"
                                        .formatted(beside(table, "files"))))
                .isEqualTo(1);
        assertThatThrownBy(() -> queries.run("ALTER TABLE %s EXECUTE nothing".formatted(table)))
                .hasMessageContaining("Table procedure not registered: NOTHING");
    }

    @Test
    void theShardsOfTheSidecarAreListed() {
        String table = SteleQueries.newTable("in_shards");
        queries.run(
                "CREATE TABLE %1$s (a bigint) WITH (table_group = '%1$s', shard_count = 3)"
                        .formatted(table));
        queries.update("INSERT INTO %s SELECT orderkey FROM tpch.tiny.orders".formatted(table));
        queries.run("ALTER TABLE %s EXECUTE flush".formatted(table));
        queries.assertSame(
                "SELECT sidecar, shard, file_count, total_size FROM stele.system.shards WHERE table_group_id = (SELECT max(table_group_id) FROM stele.system.shards)",
                "SELECT node, shard, file_count, total_size FROM " + beside(table, "shards"));
    }

    @Test
    void nothingIsDamaged() {
        assertThat(
                        queries.count(
                                "SELECT count(*) FROM (SELECT sidecar, object, table_name, table_group_id, shard, state, reason, since FROM stele.system.damaged)"))
                .isZero();
    }

    @Test
    void otherNamesAreNoTables() {
        String table = SteleQueries.newTable("known");
        queries.run("CREATE TABLE %s (a bigint)".formatted(table));
        for (String kind : new String[] {"nothing", "partitions", ""}) {
            assertThatThrownBy(() -> queries.run("SELECT * FROM " + beside(table, kind)))
                    .as(kind)
                    .hasMessageContaining("does not exist");
        }
        assertThatThrownBy(
                        () -> queries.run("SELECT * FROM " + beside(table + "_missing", "files")))
                .hasMessageContaining("does not exist");
    }
}
