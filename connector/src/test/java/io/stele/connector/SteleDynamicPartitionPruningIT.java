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

    // What follows expects of the suite that splits wait for dynamic filters, and that rows which
    // are
    // in memory still are filtered by them: ours are not. Here only the rows are looked at.

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

    @Test
    @Override
    public void testJoinDynamicFilteringMultiJoinOnPartitionedTables() {
        createPartitionedTable("t0_part", List.of("v0 real", "k0 integer"), List.of("k0"));
        createPartitionedTable("t1_part", List.of("v1 real", "i1 integer"), List.of());
        createPartitionedTable(
                "t2_part", List.of("v2 real", "i2 integer", "k2 integer"), List.of("k2"));
        assertJoins("part");
    }

    @Test
    @Override
    public void testJoinDynamicFilteringMultiJoinOnBucketedTables() {
        createPartitionedAndBucketedTable(
                "t0_bucketed", List.of("v0 bigint", "k0 integer"), List.of("k0"), List.of("v0"));
        createPartitionedAndBucketedTable(
                "t1_bucketed", List.of("v1 bigint", "i1 integer"), List.of(), List.of("v1"));
        createPartitionedAndBucketedTable(
                "t2_bucketed",
                List.of("v2 bigint", "i2 integer", "k2 integer"),
                List.of("k2"),
                List.of("v2"));
        assertJoins("bucketed");
    }

    private void assertJoins(String kind) {
        assertUpdate("INSERT INTO t0_%s VALUES (1, 1), (1, 2)".formatted(kind), 2);
        assertUpdate("INSERT INTO t1_%s VALUES (2, 10), (2, 2)".formatted(kind), 2);
        assertUpdate("INSERT INTO t2_%s VALUES (3, 1, 1), (3, 2, 2)".formatted(kind), 2);
        for (String conditions : List.of("k0 = i2;k0 = i1", "k0 = i2;k2 = i1")) {
            String[] on = conditions.split(";");
            assertQuery(
                    getSession(),
                    "SELECT k0, i1, i2 FROM (t0_%1$s JOIN t2_%1$s ON %2$s) JOIN t1_%1$s ON %3$s"
                            .formatted(kind, on[0], on[1]),
                    "VALUES (2, 2, 2)");
        }
    }

    private static String partitionedBy(List<String> columns) {
        return "WITH (partitioned_by = ARRAY[%s])".formatted(quoted(columns));
    }

    private static String quoted(List<String> columns) {
        return columns.stream().map(column -> "'" + column + "'").collect(joining(", "));
    }
}
