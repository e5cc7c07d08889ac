package io.stele.engine.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tables that others have replaced are not given up for their number. */
final class TestManyReplacedTables {
    private static final TableSchema DEFINITION =
            TableSchema.builder("s", "t")
                    .columns(List.of(new ColumnSchema(1, "id", DataType.parse("bigint"))))
                    .build();

    private static final long RETENTION_MILLIS = 40_000;

    private static final int LONG_MILLIS = 100;

    private long millis = 1_000;
    private Catalog catalog = Catalog.empty();

    @Test
    void theNextTruncationIsRefusedWhereManyAreKept() {
        List<TableId> kept = fill();
        TableId present = catalog.table("s", "t").id();
        refused(() -> edit(edit -> edit.truncateTable(present)));
        refused(() -> edit(edit -> edit.createOrReplaceTable(DEFINITION, "")));
        refused(() -> edit(edit -> edit.createTable(DEFINITION, "", TableState.REPLACEMENT)));
        assertThat(kept).allMatch(id -> catalog.findTable(id).isPresent());

        edit(edit -> edit.dropReplacedTables(kept.subList(0, 1))); // as its retention is over
        edit(edit -> edit.truncateTable(present));
        assertThat(kept.subList(1, kept.size())).allMatch(id -> catalog.findTable(id).isPresent());
        assertThat(catalog.findTable(present)).isPresent();
    }

    /** Its transaction is committed by then. */
    @Test
    void aStagedReplacementIsPublishedAlsoWhereManyAreKept() {
        create();
        edit(edit -> edit.createTable(DEFINITION, "", TableState.REPLACEMENT));
        TableId staged = new TableId(catalog.nextTableId() - 1);
        List<TableId> kept = truncateToTheLimit();
        TableId replaced = catalog.table("s", "t").id();
        edit(edit -> edit.publishTable(staged, Lsn.of(millis, 0)));
        assertThat(catalog.table("s", "t").id()).isEqualTo(staged);
        assertThat(kept).allMatch(id -> catalog.findTable(id).isPresent());
        assertThat(catalog.findPredecessor(staged).orElseThrow().schema().id())
                .as("the one that was replaced, whose id is higher")
                .isEqualTo(replaced);
    }

    /** Readers of that time saw the table that was public. */
    @Test
    void aStagedTableHasNoPlaceBeforeItIsPublic() {
        create();
        TableId before = catalog.table("s", "t").id();
        edit(edit -> edit.createTable(DEFINITION, "", TableState.REPLACEMENT));
        TableId staged = new TableId(catalog.nextTableId() - 1);
        Lsn between = Lsn.of(millis++, 0);
        edit(edit -> edit.publishTable(staged, Lsn.of(millis, 0)));
        assertThat(catalog.entryAsOf(staged, between).schema().id()).isEqualTo(before);
        assertThat(catalog.entryAsOf(staged, Lsn.of(millis, 0)).schema().id()).isEqualTo(staged);
    }

    /** So none of them goes before those that it is the way to. */
    @Test
    void aReplacedTableIsKeptAsLongAsThoseBeforeIt() {
        edit(edit -> edit.createSchema("s"));
        // The node's retention, a shorter one, a longer one, none, the node's again
        for (OptionalLong retention :
                List.of(
                        OptionalLong.empty(),
                        OptionalLong.of(1_000),
                        OptionalLong.of(90_000),
                        OptionalLong.of(0),
                        OptionalLong.empty())) {
            edit(
                    edit ->
                            edit.createOrReplaceTable(
                                    DEFINITION.withOptions(
                                            TableOptions.NONE.withRetentionMillis(retention)),
                                    ""));
        }
        List<OptionalLong> kept = new ArrayList<>();
        Optional<TableEntry> entry = Optional.of(catalog.entry(catalog.table("s", "t").id()));
        while (entry.isPresent()) {
            kept.addFirst(entry.get().schema().options().retentionMillis());
            entry = catalog.findPredecessor(entry.get().schema().id());
        }
        assertThat(kept)
                .containsExactly(
                        OptionalLong.empty(),
                        OptionalLong.of(RETENTION_MILLIS - 1), // each replacement takes 1 ms
                        OptionalLong.of(90_000),
                        OptionalLong.of(90_000 - 1),
                        OptionalLong.empty());
    }

    /** Or a table that is truncated often could never be truncated again. */
    @Test
    void aLongRetentionIsNotHandedOnForEver() {
        create();
        TableId first = catalog.table("s", "t").id();
        for (int time = 0; time < 2 * LONG_MILLIS; time++) {
            TableId present = catalog.table("s", "t").id();
            long retention = present.equals(first) ? LONG_MILLIS : 0;
            edit(
                    edit ->
                            edit.setOptions(
                                    present,
                                    List.of(TableOption.RETENTION),
                                    TableOptions.NONE.withRetentionMillis(
                                            OptionalLong.of(retention))));
            edit(edit -> edit.truncateTable(present));
        }
        TableEntry last = catalog.findPredecessor(catalog.table("s", "t").id()).orElseThrow();
        assertThat(last.schema().options().retentionMillis()).hasValue(0);
    }

    @Test
    void replacedTablesKeepTheirPlaceWhenTheirSchemaIsRenamed() {
        create();
        TableId first = catalog.table("s", "t").id();
        edit(edit -> edit.truncateTable(first));
        edit(edit -> edit.renameSchema("s", "other"));
        TableId present = catalog.table("other", "t").id();
        assertThat(catalog.findPredecessor(present).orElseThrow().schema().id()).isEqualTo(first);
        assertThat(catalog.entryAsOf(present, Lsn.of(1_001, 0)).schema().id()).isEqualTo(first);
    }

    /** A table that was there for a while takes along what it was before. */
    @Test
    void aDroppedSchemaLeavesNoHole() {
        create();
        TableId first = catalog.table("s", "t").id();
        edit(edit -> edit.truncateTable(first));
        TableId second = catalog.table("s", "t").id();
        edit(edit -> edit.createSchema("other"));
        edit(edit -> edit.renameTable(second, "other", "t"));
        edit(edit -> edit.truncateTable(second));
        TableId third = catalog.table("other", "t").id();
        edit(edit -> edit.renameTable(third, "s", "t"));
        edit(edit -> edit.truncateTable(third));
        TableId fourth = catalog.table("s", "t").id();

        edit(edit -> edit.dropSchema("other", false));
        assertThat(catalog.tables().stream().map(entry -> entry.schema().id()))
                .as("not the first, to which nothing leads")
                .containsExactlyInAnyOrder(third, fourth);
    }

    private List<TableId> fill() {
        create();
        return truncateToTheLimit();
    }

    private void create() {
        edit(edit -> edit.createSchema("s"));
        edit(edit -> edit.createTable(DEFINITION, "", TableState.PUBLIC));
    }

    private List<TableId> truncateToTheLimit() {
        List<TableId> kept = new ArrayList<>();
        for (int time = 0; time < CatalogEdit.MAX_REPLACED; time++) {
            TableId present = catalog.table("s", "t").id();
            kept.add(present);
            edit(edit -> edit.truncateTable(present));
        }
        return kept;
    }

    private void edit(Consumer<CatalogEdit> change) {
        CatalogEdit edit = new CatalogEdit(catalog, Lsn.of(millis++, 0), 1, RETENTION_MILLIS);
        change.accept(edit);
        catalog = edit.build();
    }

    private static void refused(ThrowingCallable statement) {
        assertThatThrownBy(statement)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("at most 1000 earlier contents of table 's.t'")
                .hasMessageContaining("retention");
    }
}
