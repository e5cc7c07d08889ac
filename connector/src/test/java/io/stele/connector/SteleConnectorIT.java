package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.trino.testing.BaseConnectorTest;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryAssertions;
import io.trino.testing.QueryRunner;
import io.trino.testing.TestingConnectorBehavior;
import io.trino.testing.sql.TestTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Trino's own test of a connector, with every behaviour that the connector has. */
final class SteleConnectorIT extends BaseConnectorTest {
    @Override
    protected QueryRunner createQueryRunner() throws Exception {
        Path directory = Files.createTempDirectory("stele-connector-test");
        SidecarFixture sidecar = closeAfterClass(new SidecarFixture(directory));
        DistributedQueryRunner runner = SteleCluster.queryRunner(2);
        runner.createCatalog("stele", "stele", sidecar.catalogProperties());
        runner.execute("CREATE SCHEMA stele.s");
        QueryAssertions.copyTpchTables(runner, "tpch", "tiny", REQUIRED_TPCH_TABLES);
        return runner;
    }

    @Override
    protected boolean hasBehavior(TestingConnectorBehavior behavior) {
        return switch (behavior) {
            // These mean that the engine's own filter or limit goes away: ours are advisory
            case SUPPORTS_PREDICATE_PUSHDOWN,
                    SUPPORTS_LIMIT_PUSHDOWN,
                    SUPPORTS_TOPN_PUSHDOWN,
                    SUPPORTS_AGGREGATION_PUSHDOWN,
                    SUPPORTS_DEREFERENCE_PUSHDOWN ->
                    false;
            case SUPPORTS_RENAME_SCHEMA,
                    SUPPORTS_ADD_COLUMN_NOT_NULL_CONSTRAINT,
                    SUPPORTS_CREATE_VIEW,
                    SUPPORTS_CREATE_MATERIALIZED_VIEW,
                    SUPPORTS_DEFAULT_COLUMN_VALUE,
                    SUPPORTS_NATIVE_QUERY ->
                    false;
            case SUPPORTS_DYNAMIC_FILTER_PUSHDOWN, SUPPORTS_REPORTING_WRITTEN_BYTES -> true;
            default -> super.hasBehavior(behavior);
        };
    }

    @Override
    protected String errorMessageForInsertIntoNotNullColumn(String columnName) {
        return "NULL value not allowed for NOT NULL column: " + columnName;
    }

    @Override
    protected OptionalInt maxSchemaNameLength() {
        return OptionalInt.of(128);
    }

    @Override
    protected void verifySchemaNameLengthFailurePermissible(Throwable e) {
        assertThat(e).hasMessageContaining("Expected a schema name of 1 to 128 characters");
    }

    @Override
    protected OptionalInt maxTableNameLength() {
        return OptionalInt.of(128);
    }

    @Override
    protected void verifyTableNameLengthFailurePermissible(Throwable e) {
        assertThat(e).hasMessageContaining("Expected a table name of 1 to 128 characters");
    }

    @Override
    protected OptionalInt maxColumnNameLength() {
        return OptionalInt.of(128);
    }

    @Override
    protected void verifyColumnNameLengthFailurePermissible(Throwable e) {
        assertThat(e).hasMessageContaining("Expected a column name of 1 to 128 characters");
    }

    /** The loser of two conflicting updates runs its statement again. */
    @Override
    protected void verifyConcurrentUpdateFailurePermissible(Exception e) {
        assertThat(e)
                .hasMessageMatching("Transaction .* conflicts: key .* was changed after LSN .*");
    }

    /** One of several changes of a version wins; the others were planned for columns of before. */
    @Override
    protected void verifyConcurrentAddColumnFailurePermissible(Exception e) {
        assertThat(e)
                .hasMessageMatching(
                        "Expected a change of schema version .* of table .*, found version .*");
    }

    @Override
    protected void verifySetColumnTypeFailurePermissible(Throwable e) {
        assertThat(e)
                .hasMessageMatching(
                        "Expected a type for '.*' that holds every value of .*, found .*|Expected the parts of .* for '.*': fields are added, dropped and renamed one by one, found .*");
    }

    @Override
    protected void verifySetFieldTypeFailurePermissible(Throwable e) {
        assertThat(e)
                .hasMessageMatching(
                        "Expected a type for '.*' that holds every value of .*, found .*|Expected the parts of .* for '.*': fields are added, dropped and renamed one by one, found .*");
    }

    @Override
    protected Optional<SetColumnTypeSetup> filterSetColumnTypesDataProvider(
            SetColumnTypeSetup setup) {
        return Optional.of(holdsEveryValue(setup) ? setup : setup.asUnsupported());
    }

    @Override
    protected Optional<SetColumnTypeSetup> filterSetFieldTypesDataProvider(
            SetColumnTypeSetup setup) {
        return filterSetColumnTypesDataProvider(setup);
    }

    /** Values of rows stay as they were written: only wider types are taken. */
    private static boolean holdsEveryValue(SetColumnTypeSetup setup) {
        return switch (setup.sourceColumnType() + " -> " + setup.newColumnType()) {
            case "tinyint -> smallint",
                    "tinyint -> integer",
                    "tinyint -> bigint",
                    "smallint -> integer",
                    "smallint -> bigint",
                    "integer -> bigint",
                    "real -> double",
                    "decimal(5,3) -> decimal(10,3)",
                    "decimal(28,3) -> decimal(38,3)",
                    "decimal(5,3) -> decimal(38,3)",
                    "array(integer) -> array(bigint)",
                    "row(x integer) -> row(\"x\" bigint)",
                    "row(x row(nested integer)) -> row(\"x\" row(\"nested\" bigint))",
                    "array(array(integer)) -> array(array(bigint))",
                    "map(varchar, integer) -> map(varchar, bigint)",
                    "map(integer, row(x integer)) -> map(integer, row(\"x\" bigint))" ->
                    true;
            default -> false;
        };
    }

    /** Keys of maps are compared as they were written. */
    @Test
    @Override
    public void testSetFieldMapKeyType() {
        refusesToChangeMapKeys(
                "map(row(field integer), integer)",
                "map(array[row(1)], array[2])",
                "col.key.field");
    }

    @Test
    @Override
    public void testSetNestedFieldMapKeyType() {
        refusesToChangeMapKeys(
                "array(map(row(field integer), integer))",
                "array[map(array[row(1)], array[2])]",
                "col.element.key.field");
    }

    private void refusesToChangeMapKeys(String type, String value, String field) {
        try (TestTable table =
                newTrinoTable(
                        "test_map_keys", "AS SELECT CAST(%s AS %s) col".formatted(value, type))) {
            assertQueryFails(
                    "ALTER TABLE %s ALTER COLUMN %s SET DATA TYPE bigint"
                            .formatted(table.getName(), field),
                    "Expected a change outside of map keys, found 'col\\..*key'");
        }
    }

    /** The suite expects unquoted names where several are the same, which Trino 483 quotes. */
    @Test
    @Override
    public void testDropRowFieldWhenDuplicates() {
        try (TestTable table =
                newTrinoTable(
                        "test_drop_duplicated_field_",
                        "AS SELECT CAST(row(1, 2, 3) AS row(a integer, a integer, b integer)) AS col")) {
            String type = "row(\"a\" integer, \"a\" integer, \"b\" integer)";
            assertThat(getColumnType(table.getName(), "col")).isEqualTo(type);
            assertQueryFails(
                    "ALTER TABLE " + table.getName() + " DROP COLUMN col.a",
                    "\\Qline 1:1: Field path [a] within " + type + " is ambiguous");
            assertThat(getColumnType(table.getName(), "col")).isEqualTo(type);
        }
    }

    /** As the suite's own, with the names quoted as Trino 483 does. */
    @Test
    @Override
    public void testDropAmbiguousRowFieldCaseSensitivity() {
        try (TestTable table =
                newTrinoTable(
                        "test_drop_row_field_case_",
                        "AS SELECT CAST(row(1, 2, 3) AS row(\"sOME\" integer, some integer, \"SOME\" integer)) AS col")) {
            assertUpdate("ALTER TABLE " + table.getName() + " DROP COLUMN col.some");
            assertThat(getColumnType(table.getName(), "col"))
                    .isEqualTo("row(\"sOME\" integer, \"SOME\" integer)");
            assertUpdate("ALTER TABLE " + table.getName() + " DROP COLUMN col.\"SOME\"");
            assertThat(query("SELECT * FROM " + table.getName()))
                    .matches("SELECT CAST(row(1) AS row(\"sOME\" integer))");
        }
    }

    /** A deletion of all rows reads none, and does not know how many they were. */
    @Test
    @Override
    public void testDeleteWithComplexPredicate() {
        try (TestTable table =
                createTestTableForWrites("test_delete_complex_", "AS TABLE nation", "nationkey")) {
            assertUpdate("DELETE FROM " + table.getName() + " WHERE nationkey % 2 = 0", 13);
            assertQuery(
                    "SELECT * FROM " + table.getName(),
                    "SELECT * FROM nation WHERE nationkey % 2 <> 0");
            assertUpdate("DELETE FROM " + table.getName());
            assertQueryReturnsEmptyResult("SELECT * FROM " + table.getName());
            assertUpdate("DELETE FROM " + table.getName() + " WHERE rand() < 0", 0);
        }
    }

    /** As the suite's own, but for the number of rows of a deletion of all. */
    @Test
    @Override
    public void testDeleteWithSubquery() {
        try (TestTable table =
                createTestTableForWrites("test_delete_subquery_", "AS TABLE orders", "orderkey")) {
            String delete = "DELETE FROM " + table.getName() + " WHERE ";
            assertUpdate(delete + "orderkey = (SELECT min(orderkey) FROM orders)", 1);
            assertUpdate(delete + "orderkey = (SELECT orderkey FROM orders WHERE false)", 0);
            assertUpdate(delete + "EXISTS(SELECT 1 WHERE false)", 0);
            assertUpdate(delete + "EXISTS(SELECT 1)");
            assertQueryReturnsEmptyResult("SELECT * FROM " + table.getName());
        }
        for (String condition :
                List.of(
                        "regionkey IN (SELECT regionkey FROM region WHERE name LIKE 'A%%')",
                        "EXISTS(SELECT regionkey FROM region WHERE regionkey = %1$s.regionkey AND name LIKE 'A%%')",
                        "regionkey IN (SELECT regionkey FROM region WHERE regionkey = %1$s.regionkey AND name LIKE 'A%%')")) {
            try (TestTable table =
                    createTestTableForWrites(
                            "test_delete_subquery_", "AS TABLE nation", "nationkey")) {
                assertUpdate(
                        "DELETE FROM %1$s WHERE ".concat(condition).formatted(table.getName()), 15);
                assertQuery(
                        "SELECT * FROM " + table.getName(),
                        "SELECT * FROM nation WHERE regionkey IN (SELECT regionkey FROM region WHERE name NOT LIKE 'A%')");
            }
        }
    }

    // Without default values yet
    @Test
    @Override
    public void testInsertForDefaultColumn() {
        abort("no default values");
    }

    @Test
    @Override
    public void testSetColumnTypeWithDefaultColumn() {
        abort("no default values");
    }

    /** Our integration tests end in IT. */
    @Test
    @Override
    public void ensureTestNamingConvention() {
        assertThat(getClass().getName()).endsWith("ConnectorIT");
    }
}
