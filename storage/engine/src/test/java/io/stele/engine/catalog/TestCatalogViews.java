package io.stele.engine.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.ByteFlips;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.ViewSchema;
import io.stele.testing.Golden;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Views, materialized views, and what schemas and tables have to do with them. */
final class TestCatalogViews {
    private final ObjectStore store = new InMemoryObjectStore();
    private final CatalogService service = open(1);

    TestCatalogViews() {
        service.createSchema("s");
        service.createSchema("other");
    }

    @Test
    void viewsComeChangeAndGo() {
        ViewSchema created = create("v", "one", false);
        assertThat(created.isMaterialized()).isFalse();
        refuses(
                ErrorCode.TABLE_ALREADY_EXISTS,
                "view 's.v' existing",
                () -> create("v", "two", false));
        ViewSchema replaced = create("v", "two", true);
        assertThat(replaced.revision()).isGreaterThan(created.revision());
        assertThat(open(2).current().findView("s", "v")).contains(replaced);
        refuses(
                ErrorCode.STALE_TABLE,
                "changed meanwhile",
                () -> service.setView("s", "v", false, created.revision(), "three"));
        ViewSchema changed = service.setView("s", "v", false, replaced.revision(), "three");
        assertThat(changed.definition()).isEqualTo("three");
        ViewSchema renamed = service.renameView("s", "v", false, "other", "w");
        assertThat(renamed).isEqualTo(changed.withName("other", "w"));
        assertThat(open(2).current().listViews("other")).containsExactly(renamed);
        assertThat(service.current().listViews("s")).isEmpty();
        service.dropView("other", "w", false);
        refuses(
                ErrorCode.TABLE_NOT_FOUND,
                "a view 'other.w', found none",
                () -> service.dropView("other", "w", false));
        refuses(ErrorCode.SCHEMA_NOT_FOUND, "'no'", () -> service.dropView("no", "w", false));
        refuses(ErrorCode.SCHEMA_NOT_FOUND, "'no'", () -> service.current().listViews("no"));
    }

    @Test
    void tablesAndViewsShareTheirNames() {
        TableSchema table = service.createTable(table("t"), "", TableState.PUBLIC);
        create("v", "one", false);
        refuses(ErrorCode.TABLE_ALREADY_EXISTS, "'s.t'", () -> create("t", "one", true));
        refuses(
                ErrorCode.TABLE_ALREADY_EXISTS,
                "view 's.v'",
                () -> service.createTable(table("v"), "", TableState.PUBLIC));
        refuses(
                ErrorCode.TABLE_ALREADY_EXISTS,
                "view 's.v'",
                () -> service.createOrReplaceTable(table("v"), ""));
        refuses(
                ErrorCode.TABLE_ALREADY_EXISTS,
                "view 's.v'",
                () -> service.renameTable(table.id(), "s", "v"));
        refuses(
                ErrorCode.TABLE_ALREADY_EXISTS,
                "'s.t'",
                () -> service.renameView("s", "v", false, "s", "t"));
        TableSchema staged = service.createTable(table("w"), "", TableState.REPLACEMENT);
        create("w", "one", false);
        refuses(
                ErrorCode.TABLE_ALREADY_EXISTS,
                "view 's.w'",
                () -> service.publishTable(staged.id(), Lsn.MIN));
    }

    @Test
    void rulesOfViews() {
        refuses(
                ErrorCode.SCHEMA_NOT_FOUND,
                "'no'",
                () -> service.createView(view("no", "v"), Optional.empty(), "", true));
        refuses(ErrorCode.INVALID_ARGUMENT, "lower case", () -> create("V", "x", false));
        refuses(ErrorCode.INVALID_ARGUMENT, "1 to 128", () -> create("v".repeat(129), "x", false));
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "1 to 1000000 characters of the definition of view 'v', found 1000001",
                () -> create("v", "x".repeat(1_000_001), false));
        refuses(ErrorCode.INVALID_ARGUMENT, "definition of view 'v'", () -> create("v", "", false));
        for (int index = 0; index < 16; index++) {
            create("long" + index, "x".repeat(1_000_000), false);
        }
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "at most 16777216 characters together, found 17000000",
                () -> create("v", "x".repeat(1_000_000), false));
        assertThat(service.current().findView("s", "v")).isEmpty();
    }

    @Test
    void numberOfViewsIsLimited() {
        ViewEdits edits = new ViewEdits(service.current(), List.of());
        for (int index = 0; index < ViewEdits.MAX_VIEWS; index++) {
            edits.create(view("s", "v" + index), false);
        }
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "at most 10000 views",
                () -> edits.create(view("s", "more"), false));
    }

    @Test
    void materializedViewsHaveATableThatOnlyTheyHave() {
        ViewSchema view = materialize("m", false);
        TableId storage = view.storageTable().orElseThrow();
        TableEntry entry = service.current().findTable(storage).orElseThrow();
        assertThat(entry.state()).isEqualTo(TableState.STORAGE);
        assertThat(service.current().listTables("s")).isEmpty();
        for (ThrowingCallable change :
                List.<ThrowingCallable>of(
                        () -> service.dropTable(storage),
                        () -> service.truncateTable(storage),
                        () -> service.renameTable(storage, "s", "z"),
                        () ->
                                service.alterTable(
                                        storage, 1, ColumnChange.drop(List.of("amount"))))) {
            refuses(ErrorCode.INVALID_ARGUMENT, "'s.storage$", change);
        }
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "no primary_key",
                () -> service.createView(view("s", "k"), Optional.of(keyed("k")), "", false));
        assertThat(open(2).dropStagedTables()).as("stays at start-up").isZero();
        refuses(
                ErrorCode.TABLE_NOT_FOUND,
                "a view 's.m', found a materialized one",
                () -> service.dropView("s", "m", false));
        refuses(
                ErrorCode.TABLE_ALREADY_EXISTS,
                "materialized view 's.m'",
                () -> create("m", "x", true));
        ViewSchema refreshed = service.setRefresh(storage, "made of this");
        assertThat(refreshed.revision()).isEqualTo(view.revision());
        assertThat(open(2).current().findView("s", "m").orElseThrow().refresh())
                .contains("made of this");
        ViewSchema moved = service.renameView("s", "m", true, "other", "n");
        assertThat(moved.refresh()).contains("made of this");
        assertThat(service.current().table(storage).schemaName()).isEqualTo("other");
        service.renameView("other", "n", true, "s", "m");

        ViewSchema replaced = materialize("m", true);
        assertThat(replaced.refresh()).isEmpty();
        assertThat(service.current().findTable(storage)).isEmpty();
        refuses(
                ErrorCode.STALE_TABLE,
                "dropped or replaced",
                () -> service.setRefresh(storage, "late"));
        service.dropView("s", "m", true);
        assertThat(open(2).current().tables()).isEmpty();
    }

    @Test
    void schemasAreRenamedWithAllThatIsInThem() {
        TableSchema table = service.createTable(table("t"), "", TableState.PUBLIC);
        TableSchema staged = service.createTable(table("u"), "", TableState.STAGED);
        ViewSchema view = create("v", "one", false);
        ViewSchema materialized = materialize("m", false);
        refuses(
                ErrorCode.SCHEMA_ALREADY_EXISTS,
                "'other'",
                () -> service.renameSchema("s", "other"));
        refuses(ErrorCode.SCHEMA_NOT_FOUND, "'no'", () -> service.renameSchema("no", "z"));
        refuses(ErrorCode.INVALID_ARGUMENT, "lower case", () -> service.renameSchema("s", "Z"));
        service.renameSchema("s", "z");
        for (Catalog catalog : List.of(service.current(), open(2).current())) {
            assertThat(catalog.schemas()).containsExactly("other", "z");
            assertThat(catalog.table("z", "t")).isEqualTo(table.withName("z", "t"));
            assertThat(catalog.findView("z", "v")).contains(view.withName("z", "v"));
            assertThat(catalog.findView("z", "m")).contains(materialized.withName("z", "m"));
            assertThat(catalog.table(materialized.storageTable().orElseThrow()).schemaName())
                    .isEqualTo("z");
        }
        service.publishTable(staged.id(), Lsn.MIN);
        assertThat(service.current().findTable("z", "u")).isPresent();
    }

    @Test
    void schemasWithViewsAreDroppedOnlyInCascade() {
        materialize("m", false);
        refuses(
                ErrorCode.SCHEMA_NOT_EMPTY,
                "1 tables and views, among them view 'm'",
                () -> service.dropSchema("s", false));
        service.dropSchema("s", true);
        assertThat(open(2).current().tables()).isEmpty();
        assertThat(open(2).current().findView("s", "m")).isEmpty();
    }

    @Test
    void replacementsTakeTheNameWhenTheyArePublished() {
        TableSchema old = service.createTable(table("t"), "", TableState.PUBLIC);
        TableSchema staged = service.createTable(table("t"), "", TableState.REPLACEMENT);
        assertThat(service.current().table("s", "t")).isEqualTo(old);
        service.publishTable(staged.id(), Lsn.MIN);
        assertThat(service.current().table("s", "t")).isEqualTo(staged);
        assertThat(service.current().findTable(old.id()).orElseThrow().state())
                .isEqualTo(TableState.REPLACED);
        TableSchema third = service.createOrReplaceTable(table("t"), "");
        assertThat(service.current().listTables("s")).containsExactly(third);
        TableSchema first = service.createOrReplaceTable(table("new"), "");
        assertThat(service.current().table("s", "new")).isEqualTo(first);
        service.createTable(table("t"), "", TableState.REPLACEMENT);
        assertThat(open(2).dropStagedTables()).isEqualTo(1);
        assertThat(open(3).current().table("s", "t")).isEqualTo(third);
    }

    @Test
    void goldenFile() throws Exception {
        create("v", "{\"sql\": \"SELECT 1\"}", false);
        ViewSchema view = materialize("m", false);
        service.setRefresh(view.storageTable().orElseThrow(), "{}");
        service.createTable(table("r"), "", TableState.REPLACEMENT);
        String path = "catalog/%020d".formatted(service.current().version());
        ObjectStore fourth = new InMemoryObjectStore();
        fourth.put(path, Golden.load("catalog-4"));
        assertThat(new CatalogStore(fourth, new UUID(0, 9)).loadLatest().toSnapshot())
                .isEqualTo(TestCatalogFiles.undated(service.current()));
        assertThat(open(2).current().toSnapshot()).isEqualTo(service.current().toSnapshot());
        ByteFlips.everyFlipIsRefused(
                store, path, changed -> new CatalogStore(store, new UUID(0, 4)).loadLatest());
    }

    private ViewSchema create(String name, String definition, boolean replace) {
        return service.createView(
                new ViewSchema("s", name, 1, definition, Optional.empty(), Optional.empty()),
                Optional.empty(),
                "",
                replace);
    }

    private ViewSchema materialize(String name, boolean replace) {
        return service.createView(view("s", name), Optional.of(table(name)), "", replace);
    }

    private static ViewSchema view(String schemaName, String viewName) {
        return new ViewSchema(schemaName, viewName, 1, "x", Optional.empty(), Optional.empty());
    }

    private CatalogService open(long writer) {
        return CatalogService.open(
                new CatalogStore(store, new UUID(0, writer)),
                3_600_000,
                () -> new Lsn(5_000_000L << 16),
                millis -> {},
                Assertions::fail);
    }

    private static TableSchema table(String name) {
        return table(name, List.of());
    }

    private static TableSchema keyed(String name) {
        return table(name, List.of(1));
    }

    private static TableSchema table(String name, List<Integer> primaryKey) {
        return TableSchema.builder("s", name)
                .columns(
                        List.of(
                                new ColumnSchema(1, "id", DataType.parse("bigint")).notNull(),
                                new ColumnSchema(2, "amount", DataType.parse("decimal(12,2)"))))
                .primaryKey(primaryKey)
                .shardCount(2)
                .build();
    }

    private static void refuses(ErrorCode code, String message, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        SteleException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining("Expected")
                .hasMessageContaining("found")
                .hasMessageContaining(message);
    }
}
