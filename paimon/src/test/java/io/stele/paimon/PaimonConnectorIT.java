package io.stele.paimon;

import static com.google.common.io.RecursiveDeleteOption.ALLOW_INSECURE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.io.MoreFiles;
import io.trino.Session;
import io.trino.testing.BaseConnectorTest;
import io.trino.testing.QueryAssertions;
import io.trino.testing.QueryRunner;
import io.trino.testing.TestingConnectorBehavior;
import io.trino.testing.sql.TestTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Trino's own test of a connector, with every behaviour that the connector of lakes has. */
@Tag("long")
final class PaimonConnectorIT extends BaseConnectorTest {
    private static final String KEY_UPDATE =
            "Expected updates of columns that are neither in the primary key nor the sequence field";
    private static final String NO_KEY =
            "Expected a table with a primary key, or a condition that selects whole partitions";

    /** Of all rows of a table with a key whose files have obsolete rows. */
    private static final String NO_COUNT = "update count not present";

    /** Paimon takes all types that it has a cast to, also those that not every value has. */
    private static final String NOT_REFUSED = "Expecting code to raise a throwable";

    private static final String AS = "(?i)\\bAS\\s+(?=\\(|SELECT|TABLE|VALUES)";

    @Override
    protected QueryRunner createQueryRunner() throws Exception {
        Path folder = Files.createTempDirectory("paimon-connector-test");
        closeAfterClass(() -> MoreFiles.deleteRecursively(folder, ALLOW_INSECURE));
        QueryRunner trino =
                TestingTrino.over(folder, 1, Map.of("stele.paimon.snapshot.max-staleness", "0s"));
        try {
            trino.execute("CREATE SCHEMA d");
            QueryAssertions.copyTpchTables(trino, "tpch", "tiny", REQUIRED_TPCH_TABLES);
            return trino;
        } catch (Throwable e) {
            trino.close();
            throw e;
        }
    }

    @Override
    protected boolean hasBehavior(TestingConnectorBehavior behavior) {
        return switch (behavior) {
            // These mean that the engine's own filter or limit goes away: ours are advisory
            case SUPPORTS_PREDICATE_PUSHDOWN,
                    SUPPORTS_LIMIT_PUSHDOWN,
                    SUPPORTS_TOPN_PUSHDOWN,
                    SUPPORTS_AGGREGATION_PUSHDOWN ->
                    false;
            case SUPPORTS_ADD_COLUMN_NOT_NULL_CONSTRAINT,
                    SUPPORTS_CREATE_VIEW,
                    SUPPORTS_CREATE_MATERIALIZED_VIEW,
                    SUPPORTS_DEFAULT_COLUMN_VALUE,
                    SUPPORTS_NATIVE_QUERY,
                    SUPPORTS_RENAME_SCHEMA ->
                    false;
            case SUPPORTS_DYNAMIC_FILTER_PUSHDOWN -> true;
            default -> super.hasBehavior(behavior);
        };
    }

    /** Rows are changed one by one in tables with a primary key only. */
    @Override
    protected TestTable createTestTableForWrites(
            String namePrefix, String tableDefinition, String primaryKey) {
        return newTrinoTable(namePrefix, withPrimaryKey(tableDefinition, primaryKey));
    }

    @Override
    protected TestTable createTestTableForWrites(
            String namePrefix,
            String tableDefinition,
            List<String> rowsToInsert,
            String primaryKey) {
        return newTrinoTable(namePrefix, withPrimaryKey(tableDefinition, primaryKey), rowsToInsert);
    }

    @Override
    protected void createTableForWrites(
            String createTable,
            String tableName,
            Optional<String> primaryKey,
            OptionalInt updateCount) {
        super.createTableForWrites(
                primaryKey.map(key -> withPrimaryKey(createTable, key)).orElse(createTable),
                tableName,
                primaryKey,
                updateCount);
    }

    private static String withPrimaryKey(String definition, String primaryKey) {
        String properties =
                " WITH (primary_key = ARRAY[%s]) "
                        .formatted(
                                Stream.of(primaryKey.split(","))
                                        .map(column -> "'" + column.strip() + "'")
                                        .collect(Collectors.joining(", ")));
        String changed = definition.replaceFirst(AS, properties + "AS ");
        return changed.equals(definition) ? definition + properties : changed;
    }

    @Override
    protected Session sessionWithProjectionPushdownDisabled(Session session) {
        return Session.builder(session)
                .setCatalogSessionProperty("lake", "projection_pushdown_enabled", "false")
                .build();
    }

    @Override
    protected TestTable createTableWithDefaultColumns() {
        return newTrinoTable("test_defaults", "(required bigint, defaulted bigint DEFAULT 43)");
    }

    @Override
    protected String errorMessageForInsertIntoNotNullColumn(String columnName) {
        return "NULL value not allowed for NOT NULL column: " + columnName;
    }

    @Override
    protected OptionalInt maxSchemaNameLength() {
        return OptionalInt.of(250);
    }

    @Override
    protected void verifySchemaNameLengthFailurePermissible(Throwable e) {
        assertThat(e).hasMessageContaining("Expected a name of a schema of at most 250 bytes");
    }

    @Override
    protected OptionalInt maxTableNameLength() {
        return OptionalInt.of(250);
    }

    @Override
    protected void verifyTableNameLengthFailurePermissible(Throwable e) {
        assertThat(e).hasMessageContaining("Expected a name of a table of at most 250 bytes");
    }

    @Override
    protected boolean isColumnNameRejected(
            Exception exception, String columnName, boolean delimited) {
        return !columnName.equals(columnName.strip());
    }

    @Override
    protected void verifyVersionedQueryFailurePermissible(Exception e) {
        assertThat(e).hasMessageStartingWith("Expected ");
    }

    /** The loser of two conflicting updates runs its statement again. */
    @Override
    protected void verifyConcurrentUpdateFailurePermissible(Exception e) {
        assertThat(e)
                .hasMessageStartingWith(
                        "Expected no change of the rows that the statement has read");
    }

    @Override
    protected void verifySetColumnTypeFailurePermissible(Throwable e) {
        assertThat(e)
                .hasMessageMatching(
                        "(?s)(Expected a type that Paimon has|Cannot alter table .* cannot be converted to ).*");
    }

    @Override
    protected void verifySetFieldTypeFailurePermissible(Throwable e) {
        verifySetColumnTypeFailurePermissible(e);
    }

    @Override
    protected Optional<SetColumnTypeSetup> filterSetColumnTypesDataProvider(
            SetColumnTypeSetup setup) {
        String value = setup.sourceValueLiteral();
        if (!isStored(setup.sourceColumnType())
                || !isStored(setup.newColumnType())
                // Paimon cuts digits, stores no zones, and keeps the spaces of a char
                || value.contains(".123999")
                || value.contains("+01:00")
                || value.equals("'char-to-varchar'")) {
            return Optional.empty();
        }
        boolean hasParts = setup.sourceColumnType().matches("(array|map|row)\\(.*");
        return Optional.of(hasParts ? setup.asUnsupported() : setup);
    }

    @Override
    protected Optional<SetColumnTypeSetup> filterSetFieldTypesDataProvider(
            SetColumnTypeSetup setup) {
        return filterSetColumnTypesDataProvider(setup);
    }

    @Override
    protected Optional<DataMappingTestSetup> filterDataMappingSmokeTestData(
            DataMappingTestSetup setup) {
        return Optional.of(isStored(setup.getTrinoTypeName()) ? setup : setup.asUnsupported());
    }

    /** Paimon's times have milliseconds. */
    private static boolean isStored(String type) {
        return !type.startsWith("time(") || type.equals("time(3)");
    }

    @Test
    @Override
    public void testShowCreateTable() {
        assertThat((String) computeScalar("SHOW CREATE TABLE orders"))
                .startsWith("CREATE TABLE lake.d.orders (\n   orderkey bigint,")
                .endsWith("WITH (\n   file_format = 'parquet'\n)");
    }

    /** Runs a test of Trino's that must end with a message. */
    private static void refused(Executable test, String message) {
        assertThatThrownBy(test::run).hasStackTraceContaining(message);
    }

    /** A test of Trino. */
    @FunctionalInterface
    private interface Executable {
        void run() throws Exception;
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

    @Test
    @Override
    public void testMergeCasts() {
        refused(super::testMergeCasts, KEY_UPDATE);
    }

    @Test
    @Override
    public void testMergeAllColumnsUpdated() {
        refused(super::testMergeAllColumnsUpdated, KEY_UPDATE);
    }

    @Test
    @Override
    public void testMergeAllColumnsReversed() {
        refused(super::testMergeAllColumnsReversed, KEY_UPDATE);
    }

    @Test
    @Override
    public void testMergeFruits() {
        refused(super::testMergeFruits, KEY_UPDATE);
    }

    @Test
    @Override
    public void testMergeFalseJoinCondition() {
        refused(super::testMergeFalseJoinCondition, KEY_UPDATE);
    }

    @Test
    @Override
    public void testUpdateWithPredicates() {
        refused(super::testUpdateWithPredicates, KEY_UPDATE);
    }

    @Test
    @Override
    public void testUpdateAllValues() {
        refused(super::testUpdateAllValues, KEY_UPDATE);
    }

    @Test
    @Override
    public void testRowLevelUpdate() {
        refused(super::testRowLevelUpdate, KEY_UPDATE);
    }

    @Test
    @Override
    public void testUpdateNotNullColumn() {
        refused(super::testUpdateNotNullColumn, KEY_UPDATE);
    }

    @Test
    @Override
    public void testDelete() {
        refused(super::testDelete, NO_KEY);
    }

    @Test
    @Override
    public void testDeleteWithVarcharPredicate() {
        refused(super::testDeleteWithVarcharPredicate, NO_KEY);
    }

    @Test
    @Override
    public void testRowLevelDelete() {
        refused(super::testRowLevelDelete, NO_KEY);
    }

    @Test
    @Override
    public void testUpdate() {
        refused(super::testUpdate, NO_KEY);
    }

    @Test
    @Override
    public void testUpdateCaseSensitivity() {
        refused(super::testUpdateCaseSensitivity, NO_KEY);
    }

    @Test
    @Override
    public void testUpdateRowType() {
        refused(super::testUpdateRowType, NO_KEY);
    }

    @Test
    @Override
    public void testUpdateMultipleCondition() {
        refused(super::testUpdateMultipleCondition, NO_KEY);
    }

    @Test
    @Override
    public void testUpdateWithNullValues() {
        refused(super::testUpdateWithNullValues, NO_KEY);
    }

    @Test
    @Override
    public void testAddNotNullColumnToEmptyTable() {
        refused(super::testAddNotNullColumnToEmptyTable, "Expected a new column that may be NULL");
    }

    @Test
    @Override
    public void testDropRowFieldWhenDuplicates() {
        refused(super::testDropRowFieldWhenDuplicates, "Field names must be unique");
    }

    @Test
    @Override
    public void testSetFieldMapKeyType() {
        refused(super::testSetFieldMapKeyType, "Column col.key.field does not exist");
    }

    @Test
    @Override
    public void testSetNestedFieldMapKeyType() {
        refused(super::testSetNestedFieldMapKeyType, "Column col.element.key.field does not exist");
    }

    @Test
    @Override
    public void testDeleteWithComplexPredicate() {
        refused(super::testDeleteWithComplexPredicate, NO_COUNT);
    }

    @Test
    @Override
    public void testDeleteWithSubquery() {
        refused(super::testDeleteWithSubquery, NO_COUNT);
    }

    @Test
    @Override
    public void testSetColumnIncompatibleType() {
        refused(super::testSetColumnIncompatibleType, NOT_REFUSED);
    }

    @Test
    @Override
    public void testSetColumnOutOfRangeType() {
        refused(super::testSetColumnOutOfRangeType, NOT_REFUSED);
    }

    @Test
    @Override
    public void testSetFieldIncompatibleType() {
        refused(super::testSetFieldIncompatibleType, NOT_REFUSED);
    }

    @Test
    @Override
    public void testSetFieldOutOfRangeType() {
        refused(super::testSetFieldOutOfRangeType, NOT_REFUSED);
    }

    /** As the suite's own, after a query that brings the footer into memory. */
    @Test
    @Override
    public void testProjectionPushdownReadsLessData() {
        try (TestTable table =
                newTrinoTable(
                        "test_reads_less_data_",
                        "AS SELECT CAST(row(n, n + 1) AS row(leaf1 bigint, leaf2 bigint)) AS root FROM UNNEST(sequence(1, 10)) t (n)")) {
            String sql = "SELECT root.leaf2 FROM " + table.getName();
            Session without = sessionWithProjectionPushdownDisabled(getSession());
            assertThat(computeActual(sql).getRowCount()).isEqualTo(10);
            assertQueryStats(
                    getSession(),
                    sql,
                    field ->
                            assertQueryStats(
                                    without,
                                    sql,
                                    column -> {
                                        assertThat(column.getPhysicalInputDataSize())
                                                .isGreaterThan(field.getPhysicalInputDataSize());
                                        assertThat(column.getProcessedInputDataSize())
                                                .isGreaterThan(field.getProcessedInputDataSize());
                                    },
                                    result -> assertThat(result.getRowCount()).isEqualTo(10)),
                    result -> assertThat(result.getRowCount()).isEqualTo(10));
        }
    }

    @Test
    @Override
    public void testInsertForDefaultColumn() {
        refused(super::testInsertForDefaultColumn, "does not support default value");
    }

    @Test
    @Override
    public void testSetColumnTypeWithDefaultColumn() {
        refused(super::testSetColumnTypeWithDefaultColumn, "does not support default value");
    }

    /** Files are read by the piece, however small they are. */
    @Override
    protected Session withoutSmallFileThreshold(Session session) {
        return session;
    }

    /** One worker beside the coordinator. */
    @Test
    @Override
    public void ensureDistributedQueryRunner() {
        assertThat(getQueryRunner().getNodeCount()).isEqualTo(2);
    }

    /** Our integration tests end in IT. */
    @Test
    @Override
    public void ensureTestNamingConvention() {
        assertThat(getClass().getName()).endsWith("ConnectorIT");
    }
}
