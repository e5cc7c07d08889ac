package io.stele.engine.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tables that others have replaced are not given up for their number. */
final class TestManyReplacedTables {
    private static final TableSchema DEFINITION =
            new TableSchema(
                    new TableId(1),
                    "s",
                    "t",
                    1,
                    List.of(new ColumnSchema(1, "id", DataType.parse("bigint"))),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    Orientation.COLUMN,
                    0,
                    1,
                    Optional.empty(),
                    TableOptions.NONE);

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
        edit(edit -> edit.publishTable(staged));
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
        edit(edit -> edit.publishTable(staged));
        assertThat(catalog.entryAsOf(staged, between).schema().id()).isEqualTo(before);
        assertThat(catalog.entryAsOf(staged, Lsn.of(millis, 0)).schema().id()).isEqualTo(staged);
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
        CatalogEdit edit = new CatalogEdit(catalog, Lsn.of(millis++, 0), 1);
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
