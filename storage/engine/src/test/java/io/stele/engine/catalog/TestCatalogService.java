package io.stele.engine.catalog;

import static io.stele.engine.catalog.CatalogFixture.refuses;
import static io.stele.engine.catalog.CatalogFixture.table;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import io.stele.protocol.row.InitialRow;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.InitialValue;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.SchemaHistory;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The statements of a catalog on schemas and tables, and what they refuse. */
final class TestCatalogService {
    private final CatalogFixture catalogs = new CatalogFixture();
    private final CatalogService service = catalogs.open(1);

    @Test
    void schemasComeAndGo() {
        service.createSchema("sales");
        refuses(ErrorCode.SCHEMA_ALREADY_EXISTS, "'sales'", () -> service.createSchema("sales"));
        refuses(ErrorCode.INVALID_ARGUMENT, "lower case", () -> service.createSchema("Sales"));
        refuses(ErrorCode.INVALID_ARGUMENT, "1 to 128", () -> service.createSchema(""));
        refuses(
                ErrorCode.SCHEMA_NOT_FOUND,
                "'nothing'",
                () -> service.dropSchema("nothing", false));
        assertThat(catalogs.open(2).current().schemas()).containsExactly("sales");
        service.dropSchema("sales", false);
        assertThat(service.current().schemas()).isEmpty();
    }

    @Test
    void schemaWithTablesIsDroppedOnlyInCascade() {
        service.createSchema("sales");
        service.createTable(table("sales", "orders").build(), "", TableState.PUBLIC);
        refuses(ErrorCode.SCHEMA_NOT_EMPTY, "'orders'", () -> service.dropSchema("sales", false));
        service.dropSchema("sales", true);
        assertThat(service.current().tables()).isEmpty();
        refuses(ErrorCode.SCHEMA_NOT_FOUND, "'sales'", () -> service.current().listTables("sales"));
    }

    @Test
    void tablesGetIdsGroupsAndVersionOne() {
        service.createSchema("s");
        TableSchema first =
                service.createTable(table("s", "a").shards(4).build(), "", TableState.PUBLIC);
        TableSchema second =
                service.createTable(table("s", "b").shards(4).build(), "", TableState.PUBLIC);
        TableSchema third =
                service.createTable(table("s", "c").shards(2).build(), "other", TableState.PUBLIC);
        assertThat(first.id()).isNotEqualTo(second.id());
        assertThat(first.tableGroup())
                .isEqualTo(second.tableGroup())
                .isNotEqualTo(third.tableGroup());
        assertThat(first.schemaVersion()).isEqualTo(1);
        assertThat(service.current().tableGroup(third.tableGroup()))
                .isEqualTo(new TableGroup(third.tableGroup(), "other", 2));
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "shard_count 2 of the existing table group 'other', found 3",
                () ->
                        service.createTable(
                                table("s", "d").shards(3).build(), "other", TableState.PUBLIC));
        service.dropTable(third.id());
        assertThat(catalogs.open(2).current().findTableGroup("other")).isPresent();
        TableSchema fourth =
                service.createTable(table("s", "c").shards(2).build(), "other", TableState.PUBLIC);
        assertThat(fourth.id().value())
                .as("ids are never used twice")
                .isGreaterThan(third.id().value());
    }

    @Test
    void indexesKeepTheirIdsAndNewOnesAreToBeBuilt() {
        service.createSchema("s");
        TableSchema plain = service.createTable(table("s", "a").build(), "", TableState.PUBLIC);
        int column = plain.primaryKey().getFirst();
        IndexSchema one = new IndexSchema(1, "one", List.of(column), false, true);
        IndexSchema two = new IndexSchema(2, "two", List.of(column), false, true);
        TableSchema table = setIndexes(plain, List.of(one));
        IndexSchema first = table.options().indexes().getFirst();
        assertThat(first.ready()).as("rows from before have no entries").isFalse();
        table = service.setIndexReady(table.id(), first.id());
        table = setIndexes(table, List.of(two, one));
        assertThat(table.options().indexes().get(1)).isEqualTo(first.built());
        int second = table.options().indexes().getFirst().id();
        assertThat(second).isGreaterThan(first.id());
        table = setIndexes(table, List.of(one));
        table = setIndexes(table, List.of(one, two));
        assertThat(table.options().indexes().get(1).id())
                .as("ids are never used twice")
                .isGreaterThan(second);
        assertThat(service.truncateTable(table.id()).options().indexes())
                .as("an empty table's indexes are complete")
                .allMatch(IndexSchema::ready);
    }

    private TableSchema setIndexes(TableSchema table, List<IndexSchema> indexes) {
        return service.setOptions(
                table.id(), List.of(TableOption.INDEXES), TableOptions.NONE.withIndexes(indexes));
    }

    @Test
    void rowsThatExpiredNeverComeBack() {
        service.createSchema("s");
        TableSchema table =
                service.createTable(
                        table("s", "a")
                                .build()
                                .withOptions(
                                        TableOptions.NONE.withTimeToLiveMillis(
                                                OptionalLong.of(1000))),
                        "",
                        TableState.PUBLIC);
        long changed = catalogs.now();
        assertThat(table.options().firstVisibleLsn(changed)).isEqualTo(changed - (1000L << 16));
        assertThat(table.options().firstVisibleLsn(1 << 16)).isZero();

        table = setTimeToLive(table, OptionalLong.of(5000));
        TableOptions longer = table.options();
        assertThat(longer.firstVisibleLsn(changed - 1))
                .as("readers below the change")
                .isEqualTo(changed - 1 - (1000L << 16));
        assertThat(longer.firstVisibleLsn(changed + (2000L << 16)))
                .as("what had expired")
                .isEqualTo(changed - (1000L << 16));
        assertThat(longer.firstVisibleLsn(changed + (9000L << 16)))
                .isEqualTo(changed + (4000L << 16));

        catalogs.advance(9000);
        table = setTimeToLive(table, OptionalLong.empty());
        assertThat(table.options().firstVisibleLsn(catalogs.now() + (99_000L << 16)))
                .isEqualTo(changed + (4000L << 16));
        for (int i = 0; i < 40; i++) {
            catalogs.advance(1000);
            long before = table.options().firstVisibleLsn(catalogs.now());
            table = setTimeToLive(table, OptionalLong.of(1 + i % 7 * 700L));
            assertThat(table.options().firstVisibleLsn(catalogs.now()))
                    .isGreaterThanOrEqualTo(before);
        }
        assertThat(table.options().timeToLiveSteps()).hasSize(TableOptions.MAX_TIME_TO_LIVE_STEPS);
        assertThat(catalogs.open(2).current().table(table.id())).isEqualTo(table);
    }

    private TableSchema setTimeToLive(TableSchema table, OptionalLong millis) {
        return service.setOptions(
                table.id(),
                List.of(TableOption.TIME_TO_LIVE),
                TableOptions.NONE.withTimeToLiveMillis(millis));
    }

    @Test
    void optionsAreChangedOneByOne() {
        service.createSchema("s");
        TableSchema table = service.createTable(table("s", "a").build(), "", TableState.PUBLIC);
        int column = table.columns().getFirst().id();
        service.setOptions(
                table.id(),
                List.of(TableOption.RETENTION, TableOption.BITMAP_COLUMNS),
                TableOptions.NONE
                        .withRetentionMillis(OptionalLong.of(5))
                        .withBitmapColumns(List.of(column)));
        service.setOptions(
                table.id(),
                List.of(TableOption.SEGMENT_KEY),
                TableOptions.NONE
                        .withRetentionMillis(OptionalLong.of(9))
                        .withSegmentKey(List.of(column)));
        TableOptions expected =
                TableOptions.NONE
                        .withRetentionMillis(OptionalLong.of(5))
                        .withSegmentKey(List.of(column))
                        .withBitmapColumns(List.of(column));
        assertThat(catalogs.open(2).current().table(table.id()).options()).isEqualTo(expected);
        refuses(
                ErrorCode.COLUMN_NOT_FOUND,
                "segment_key",
                () ->
                        service.setOptions(
                                table.id(),
                                List.of(TableOption.SEGMENT_KEY),
                                TableOptions.NONE.withSegmentKey(List.of(99))));
        service.setOptions(table.id(), List.of(TableOption.BITMAP_COLUMNS), TableOptions.NONE);
        assertThat(service.current().table(table.id()).options())
                .isEqualTo(expected.withBitmapColumns(List.of()));
        assertThat(service.current().table(table.id()).schemaVersion()).isEqualTo(1);
    }

    @Test
    void rulesOfTables() {
        service.createSchema("s");
        service.createTable(table("s", "a").build(), "", TableState.PUBLIC);
        refuses(
                ErrorCode.TABLE_ALREADY_EXISTS,
                "'s.a'",
                () -> service.createTable(table("s", "a").build(), "", TableState.PUBLIC));
        refuses(
                ErrorCode.SCHEMA_NOT_FOUND,
                "'t'",
                () -> service.createTable(table("t", "a").build(), "", TableState.PUBLIC));
        for (Orientation orientation : List.of(Orientation.ROW, Orientation.ROW_COLUMN)) {
            refuses(
                    ErrorCode.INVALID_ARGUMENT,
                    "primary_key for orientation '" + orientation.text() + "'",
                    () ->
                            service.createTable(
                                    table("s", "b").primaryKey().orientation(orientation).build(),
                                    "",
                                    TableState.PUBLIC));
        }
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "'Upper'",
                () -> service.createTable(table("s", "Upper").build(), "", TableState.PUBLIC));
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "column name in lower case, found 'BIG'",
                () ->
                        service.createTable(
                                table("s", "b").column("BIG").build(), "", TableState.PUBLIC));
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "clustering_key",
                () ->
                        service.createTable(
                                table("s", "b")
                                        .orientation(Orientation.ROW)
                                        .clusteringKey(2)
                                        .build(),
                                "",
                                TableState.PUBLIC));
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "comment",
                () ->
                        service.createTable(
                                table("s", "b").comment("x".repeat(10_001)).build(),
                                "",
                                TableState.PUBLIC));
        assertThat(service.current().listTables("s")).hasSize(1);
    }

    @Test
    void stagedTablesAreSeenByIdOnlyUntilPublished() {
        service.createSchema("s");
        TableSchema staged = service.createTable(table("s", "a").build(), "", TableState.STAGED);
        assertThat(service.current().findTable("s", "a")).isEmpty();
        assertThat(service.current().table(staged.id())).isEqualTo(staged);
        refuses(ErrorCode.SCHEMA_NOT_EMPTY, "being created", () -> service.dropSchema("s", false));
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "being created",
                () -> service.renameTable(staged.id(), "s", "z"));
        TableSchema rival = service.createTable(table("s", "a").build(), "", TableState.STAGED);
        service.publishTable(rival.id(), Lsn.MIN);
        refuses(
                ErrorCode.TABLE_ALREADY_EXISTS,
                "'s.a'",
                () -> service.publishTable(staged.id(), Lsn.MIN));
        Catalog published = service.current();
        service.publishTable(rival.id(), Lsn.MIN);
        assertThat(service.current()).as("published again").isSameAs(published);
        CatalogService restarted = catalogs.open(2);
        assertThat(restarted.dropStagedTables()).isEqualTo(1);
        assertThat(restarted.dropStagedTables()).isZero();
        assertThat(restarted.current().table("s", "a").id()).isEqualTo(rival.id());
        refuses(
                ErrorCode.STALE_TABLE,
                "dropped, truncated or replaced",
                () -> restarted.publishTable(staged.id(), Lsn.MIN));
    }

    @Test
    void truncateGivesANewId() {
        service.createSchema("s");
        TableSchema before =
                service.createTable(table("s", "a").comment("keep").build(), "", TableState.PUBLIC);
        TableSchema after = service.truncateTable(before.id());
        assertThat(after.id()).isNotEqualTo(before.id());
        assertThat(after.columns()).isEqualTo(before.columns());
        assertThat(after.comment()).contains("keep");
        assertThat(service.current().table("s", "a")).isEqualTo(after);
        refuses(
                ErrorCode.STALE_TABLE,
                "dropped, truncated or replaced",
                () -> service.current().table(before.id()));
        TableEntry kept = catalogs.open(1).current().findTable(before.id()).orElseThrow();
        assertThat(kept.state()).isEqualTo(TableState.REPLACED);
        assertThat(kept.successor().orElseThrow().tableId()).isEqualTo(after.id());
        refuses(
                ErrorCode.STALE_TABLE,
                "dropped, truncated or replaced",
                () -> service.dropTable(before.id()));
        service.dropSchema("s", true);
        assertThat(service.current().tables()).isEmpty();
    }

    @Test
    void renameAndComments() {
        service.createSchema("s");
        service.createSchema("t");
        TableSchema table = service.createTable(table("s", "a").build(), "", TableState.PUBLIC);
        service.createTable(table("t", "taken").build(), "", TableState.PUBLIC);
        refuses(
                ErrorCode.TABLE_ALREADY_EXISTS,
                "'t.taken'",
                () -> service.renameTable(table.id(), "t", "taken"));
        refuses(ErrorCode.SCHEMA_NOT_FOUND, "'u'", () -> service.renameTable(table.id(), "u", "a"));
        service.renameTable(table.id(), "t", "b");
        assertThat(service.current().findTable("s", "a")).isEmpty();
        assertThat(service.current().table("t", "b").id()).isEqualTo(table.id());
        service.setTableComment(table.id(), Optional.of("all orders"));
        service.setColumnComment(table.id(), 2, Optional.of("in cents"));
        refuses(
                ErrorCode.COLUMN_NOT_FOUND,
                "found id 9",
                () -> service.setColumnComment(table.id(), 9, Optional.of("x")));
        TableSchema stored = catalogs.open(2).current().table("t", "b");
        assertThat(stored.comment()).contains("all orders");
        assertThat(stored.column(2).comment()).contains("in cents");
        assertThat(stored.schemaVersion()).as("comments do not make writers stale").isEqualTo(1);
        service.setTableComment(table.id(), Optional.empty());
        assertThat(service.current().table(table.id()).comment()).isEmpty();
    }

    @Test
    void namesOfMetadataTablesAreRefused() {
        service.createSchema("s");
        TableSchema table = service.createTable(table("s", "a").build(), "", TableState.PUBLIC);
        for (String name : List.of("a$files", "$", "storage$7")) {
            refuses(
                    ErrorCode.INVALID_ARGUMENT,
                    "without '$'",
                    () -> service.createTable(table("s", name).build(), "", TableState.PUBLIC));
            refuses(
                    ErrorCode.INVALID_ARGUMENT,
                    "without '$'",
                    () -> service.renameTable(table.id(), "s", name));
        }
    }

    @Test
    void columnsChangeAndTheirHistoryIsKept() {
        service.createSchema("s");
        TableSchema first = service.createTable(table("s", "a").build(), "", TableState.PUBLIC);
        TableSchema second =
                service.alterTable(
                        first.id(),
                        1,
                        ColumnChange.setType(List.of("amount"), DataType.parse("decimal(38,2)")));
        TableSchema third = service.alterTable(first.id(), 2, ColumnChange.drop(List.of("amount")));
        TableSchema fourth =
                service.alterTable(
                        first.id(),
                        3,
                        ColumnChange.addColumn(
                                "amount", DataType.parse("integer"), Optional.of("again")));
        assertThat(fourth.schemaVersion()).isEqualTo(4);
        assertThat(fourth.findColumn("amount").orElseThrow().id())
                .as("ids are never used twice")
                .isEqualTo(3);
        TableEntry entry = catalogs.open(2).current().findTable(first.id()).orElseThrow();
        List<TableSchema> versions = List.of(first, second, third, fourth);
        for (TableSchema version : versions) {
            assertThat(entry.history().columns(entry.schema(), version.schemaVersion()))
                    .isEqualTo(version.columns());
        }
        refuses(
                ErrorCode.CORRUPT_DATA,
                "found 5",
                () -> entry.history().columns(entry.schema(), 5));
        refuses(
                ErrorCode.STALE_TABLE,
                "schema version 4",
                () -> service.alterTable(first.id(), 3, ColumnChange.drop(List.of("amount"))));
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "lower case",
                () ->
                        service.alterTable(
                                first.id(), 4, ColumnChange.rename(List.of("amount"), "Amount")));
        DataType text = DataType.parse("varchar(2)");
        refuses(
                ErrorCode.TYPE_MISMATCH,
                "3 characters",
                () ->
                        service.alterTable(
                                first.id(),
                                4,
                                ColumnChange.addColumn("given", text, Optional.empty())
                                        .withInitialValue(
                                                new InitialValue(
                                                        text,
                                                        InitialRow.value(
                                                                        DataType.parse("varchar"),
                                                                        "abc")
                                                                .row()))));
        service.renameTable(first.id(), "s", "b");
        assertThat(service.current().findTable(first.id()).orElseThrow().history())
                .isEqualTo(entry.history());
        TableId emptied = service.truncateTable(first.id()).id();
        assertThat(service.current().findTable(emptied).orElseThrow().history().earlier())
                .as("an empty table has no earlier rows")
                .isEmpty();
    }

    @Test
    void numberOfSchemaVersionsIsLimited() {
        service.createSchema("s");
        TableSchema table = service.createTable(table("s", "a").build(), "", TableState.PUBLIC);
        for (int version = 1; version < SchemaHistory.MAX_VERSIONS; version++) {
            table =
                    service.alterTable(
                            table.id(),
                            version,
                            ColumnChange.rename(
                                    List.of(table.columns().get(1).name()), "c" + version));
        }
        TableSchema last = table;
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "at most 1024 schema versions",
                () ->
                        service.alterTable(
                                last.id(),
                                last.schemaVersion(),
                                ColumnChange.rename(List.of("c1023"), "x")));
    }
}
