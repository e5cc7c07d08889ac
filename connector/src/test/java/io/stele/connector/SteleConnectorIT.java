package io.stele.connector;

import static io.trino.server.testing.TestingTrinoServer.SESSION_START_TIME_PROPERTY;
import static java.util.concurrent.Executors.newVirtualThreadPerTaskExecutor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.ZONED_DATE_TIME;

import io.airlift.units.Duration;
import io.stele.testing.LongTests;
import io.trino.Session;
import io.trino.testing.BaseConnectorTest;
import io.trino.testing.QueryFailedException;
import io.trino.testing.QueryRunner;
import io.trino.testing.TestingConnectorBehavior;
import io.trino.testing.sql.TestTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Trino's own test of a connector, with every behaviour that the connector has. */
@LongTests({
    // The engine's own: aggregations, joins, samples and limits above a scan like any other
    "testAggregation",
    "testAggregationOverUnknown",
    "testArithmeticNegation",
    "testComplexQuery",
    "testConcurrentScans",
    "testCountColumn",
    "testCreateFunction",
    "testDistinct",
    "testDistinctHaving",
    "testDistinctLimit",
    "testDistinctMultipleFields",
    "testDistinctWithOrderBy",
    "testExplainAnalyze",
    "testFilterPushdownWithAggregation",
    "testJoin",
    "testJoinWithEmptySides",
    "testLargeIn",
    "testLimitInInlineView",
    "testLimitMax",
    "testLimitWithAggregation",
    "testQueryLoggingCount",
    "testRepeatedAggregations",
    "testSelectWithComparison",
    "testTableSampleBernoulli",
    "testTableSampleBernoulliBoundaryValues",
    "testTableSampleSystem",
    "testTableSampleWithFiltering",
    "testTopNByMultipleFields",
    "testVarcharCastToDateInPredicate",
    // A statement or more for each of thirty names or eight comments: SteleWritesIT and
    // testCommentTableSpecialCharacter try some
    "testAddAndDropColumnName",
    "testAddColumnWithCommentSpecialCharacter",
    "testColumnName",
    "testCommentColumnName",
    "testCommentColumnSpecialCharacter",
    "testCreateTableAsSelectWithTableCommentSpecialCharacter",
    "testCreateTableWithColumnCommentSpecialCharacter",
    "testCreateTableWithTableCommentSpecialCharacter",
    "testMaterializedViewColumnName",
    "testRenameColumnName",
    // A dozen statements for each type: SteleTypesIT and SteleSchemaEvolutionIT try them
    "testAddRowFieldInArray",
    "testCaseSensitiveDataMapping",
    "testDataMappingSmokeTest",
    "testDropRowFieldInArray",
    "testSetColumnTypes",
    "testSetFieldTypes",
    // Ways to say the same MERGE, DELETE or UPDATE, which reach the connector as one
    "testDeleteWithComplexPredicate",
    "testDeleteWithSemiJoin",
    "testDeleteWithVarcharPredicate",
    "testExplainAnalyzeWithDeleteWithSubquery",
    "testMergeAllColumnsReversed",
    "testMergeAllInserts",
    "testMergeAllMatchesDeleted",
    "testMergeDeleteWithCTAS",
    "testMergeFalseJoinCondition",
    "testMergeLarge",
    "testMergeQueryWithStrangeCapitalization",
    "testMergeSimpleQuery",
    "testMergeSimpleSelect",
    "testMergeWithSimplifiedUnpredictablePredicates",
    "testMergeWithUnpredictablePredicates",
    "testMergeWithoutTablesAliases",
    "testUpdateAllValues",
    "testUpdateMultipleCondition",
    "testUpdateWithPredicates",
    "testUpdateWithSubquery",
    // Views over others: testMaterializedView and SteleViewsIT try ours
    "testFederatedMaterializedView",
    "testFederatedMaterializedViewWithGracePeriod",
    "testMaterializedViewBaseTableGone",
    "testMaterializedViewWhenStaleFail",
    "testMaterializedViewWhenStaleInline",
    "testView",
    "testViewAndMaterializedViewTogether"
})
final class SteleConnectorIT extends BaseConnectorTest {
    @Override
    protected QueryRunner createQueryRunner() throws Exception {
        Path directory = Files.createTempDirectory("stele-connector-test");
        SidecarFixture sidecar = closeAfterClass(new SidecarFixture(directory));
        return SteleTpch.start(
                sidecar, SteleCluster.workersOfSuites(), Map.of(), REQUIRED_TPCH_TABLES);
    }

    /** Trino's 10 s and 60 s are for machines that do nothing else. */
    @Override
    protected Duration getConcurrentInsertTimeout() {
        return new Duration(3, TimeUnit.MINUTES);
    }

    @RepeatedTest(4)
    @Timeout(600)
    @Override
    public void testInsertRowConcurrently() throws Exception {
        super.testInsertRowConcurrently();
    }

    @RepeatedTest(4)
    @Timeout(600)
    @Override
    public void testUpdateRowConcurrently() throws Exception {
        super.testUpdateRowConcurrently();
    }

    @Override
    protected boolean hasBehavior(TestingConnectorBehavior behavior) {
        return ConnectorBehaviors.of(behavior).orElseGet(() -> super.hasBehavior(behavior));
    }

    /** Files are read by the piece, however small they are. */
    @Override
    protected Session withoutSmallFileThreshold(Session session) {
        return session;
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
    protected void verifyVersionedQueryFailurePermissible(Exception e) {
        assertThat(e).hasMessageMatching("Expected an LSN.*");
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

    /**
     * One of several changes of a version wins; the others were planned for the earlier columns.
     */
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
                        "Expected (a type for '.*' that holds every value of .*|the parts of .* for '.*': fields are added, dropped and renamed one by one|the key type of .* for '.*'), found .*");
    }

    @Override
    protected void verifySetFieldTypeFailurePermissible(Throwable e) {
        assertThat(e)
                .hasMessageMatching(
                        "Expected (a type for '.*' that holds every value of .*|the parts of .* for '.*': fields are added, dropped and renamed one by one|the key type of .* for '.*'), found .*");
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
            assertUpdate(delete + "EXISTS(SELECT 1)", 14_999);
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

    @Override
    protected TestTable createTableWithDefaultColumns() {
        return newTrinoTable(
                "test_defaults",
                "(col_required bigint NOT NULL, col_nullable bigint, col_default bigint DEFAULT 43, col_nonnull_default bigint DEFAULT 42 NOT NULL, col_required2 bigint NOT NULL)");
    }

    /** As the suite's own, from integer to bigint. */
    @Test
    @Override
    public void testSetColumnTypeWithDefaultColumn() {
        try (TestTable table =
                newTrinoTable("test_defaults", "(required bigint, defaulted integer DEFAULT 43)")) {
            assertUpdate(
                    "ALTER TABLE %s ALTER COLUMN defaulted SET DATA TYPE bigint"
                            .formatted(table.getName()));
            assertUpdate("INSERT INTO " + table.getName() + " (required) VALUES 1", 1);
            assertQuery("SELECT defaulted FROM " + table.getName(), "VALUES 43");
        }
    }

    /** Without types that no table can have: number, and time with time zone. */
    @Test
    @Override
    public void testMaterializedViewAllTypes() {
        String values =
                """
                SELECT
                    true a_boolean, TINYINT '67' a_tinyint, SMALLINT '35' a_smallint, 7 an_integer,
                    1544323431676534245 a_bigint, REAL '12345.67' a_real, DOUBLE '12345.678901234' a_double,
                    CAST('1234567.8901' AS decimal(11, 4)) a_short_decimal,
                    CAST('1234567890123456789.0123456' AS decimal(26, 7)) a_long_decimal,
                    CHAR 'few chars  ' a_char, CAST('some' AS varchar(33)) a_varchar, X'65683F' a_varbinary,
                    DATE '2005-09-10' a_date, TIME '13:00:00.123456789' a_time,
                    TIMESTAMP '2005-09-10 13:00:00.123' millis, TIMESTAMP '2005-09-10 13:00:00.123456789' nanos,
                    TIMESTAMP '2005-09-10 13:00:00.123456 UTC' micros_with_zone,
                    UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59' a_uuid,
                    ARRAY[TIMESTAMP '2005-09-10 13:00:00.123456789'] an_array,
                    map(ARRAY['key'], ARRAY[TIMESTAMP '2005-09-10 13:00:00.123456789']) a_map,
                    CAST(ROW(1) AS ROW(key bigint)) a_row
                """;
        String view = SteleQueries.newTable("test_mv_all_types");
        assertUpdate("CREATE MATERIALIZED VIEW %s AS %s".formatted(view, values));
        assertThat(query("TABLE " + view)).matches(values);
        assertUpdate("REFRESH MATERIALIZED VIEW " + view, 1);
        assertThat(query("TABLE " + view)).matches(values);
        assertUpdate("DROP MATERIALIZED VIEW " + view);
    }

    /**
     * The suite expects the time of the first change that made the view stale. That of the last one
     * is known, and would let the grace period begin anew with each; so it begins with the refresh.
     */
    @Test
    @Override
    public void testMaterializedViewGracePeriod() {
        String view = SteleQueries.newTable("test_mv_grace_period");
        try (TestTable table = newTrinoTable("test_base", "AS TABLE region")) {
            Session later =
                    Session.builder(getSession())
                            .setSystemProperty(
                                    SESSION_START_TIME_PROPERTY,
                                    Instant.now().plus(1, ChronoUnit.DAYS).toString())
                            .build();
            assertUpdate(
                    "CREATE MATERIALIZED VIEW %s GRACE PERIOD INTERVAL '1' HOUR AS SELECT DISTINCT regionkey FROM %s"
                            .formatted(view, table.getName()));
            assertThat((String) computeScalar("SHOW CREATE MATERIALIZED VIEW " + view))
                    .contains("GRACE PERIOD INTERVAL '0 1:00:00' DAY TO SECOND");
            String initial = "SELECT regionkey FROM region";
            assertThat(query(later, "TABLE " + view)).matches(initial);
            ZonedDateTime beforeRefresh = ZonedDateTime.now();
            assertUpdate("REFRESH MATERIALIZED VIEW " + view, 5);
            ZonedDateTime afterRefresh = ZonedDateTime.now();
            assertThat(ofMaterializedView("freshness", view)).isEqualTo("FRESH");
            assertThat(ofMaterializedView("last_fresh_time", view)).isNull();
            assertUpdate("INSERT INTO %s (regionkey) VALUES 42".formatted(table.getName()), 1);
            assertThat(ofMaterializedView("freshness", view)).isEqualTo("STALE");
            assertThat(ofMaterializedView("last_fresh_time", view))
                    .asInstanceOf(ZONED_DATE_TIME)
                    .isBetween(
                            beforeRefresh.truncatedTo(ChronoUnit.MILLIS),
                            afterRefresh.plusSeconds(1)); // the sidecar's clock may be ahead
            assertThat(query("TABLE " + view)).matches(initial);
            assertThat(query(later, "TABLE " + view))
                    .matches(initial + " UNION ALL VALUES BIGINT '42'");
            assertUpdate("DROP MATERIALIZED VIEW " + view);
        }
    }

    private Object ofMaterializedView(String column, String view) {
        return computeScalar(
                "SELECT %s FROM system.metadata.materialized_views WHERE catalog_name = CURRENT_CATALOG AND schema_name = CURRENT_SCHEMA AND name = '%s'"
                        .formatted(column, view));
    }

    /**
     * Readers who are in the middle of a table that is replaced go on with what they began with.
     */
    @Test
    @Override
    public void testCreateOrReplaceTableConcurrently() throws Exception {
        try (TestTable table = newTrinoTable("test_replaced", "AS SELECT 1 a");
                ExecutorService readers = newVirtualThreadPerTaskExecutor()) {
            AtomicBoolean done = new AtomicBoolean();
            List<Future<Integer>> reads = new ArrayList<>();
            for (int reader = 0; reader < 4; reader++) {
                reads.add(readers.submit(() -> readWhileReplaced(table.getName(), done)));
            }
            for (int round = 0; round < 6; round++) {
                assertUpdate(
                        "CREATE OR REPLACE TABLE %s AS SELECT * FROM (VALUES 1, 2) t(a)"
                                .formatted(table.getName()),
                        2);
            }
            done.set(true);
            int seen = 0;
            for (Future<Integer> read : reads) {
                seen += read.get();
            }
            assertThat(seen).isPositive();
        }
    }

    private int readWhileReplaced(String table, AtomicBoolean done) {
        int seen = 0;
        while (!done.get()) {
            try {
                assertThat(computeActual("SELECT a FROM " + table).getOnlyColumnAsSet())
                        .isIn(Set.of(1), Set.of(1, 2));
                seen++;
            } catch (QueryFailedException e) {
                // More than 16 replacements within a query: the oldest are not kept
                assertThat(e).hasMessageMatching("Expected .*table id .*(dropped|replaced).*");
            }
        }
        return seen;
    }

    /** See {@link SteleCluster#workersOfSuites}. */
    @Test
    @Override
    public void ensureDistributedQueryRunner() {
        assertThat(getQueryRunner().getNodeCount()).isEqualTo(1 + SteleCluster.workersOfSuites());
    }

    /** Our integration tests end in IT. */
    @Test
    @Override
    public void ensureTestNamingConvention() {
        assertThat(getClass().getName()).endsWith("ConnectorIT");
    }
}
