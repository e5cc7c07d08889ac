package io.stele.paimon.merge;

import static java.util.Objects.requireNonNull;

import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.connector.SourcePage;
import java.util.Arrays;

/**
 * A builder of the next page of a merge's result, from ranges of rows of the inputs' pages.
 * Confined to one driver.
 *
 * <p>Invariant: of a batch that it has rows of, all wanted columns are loaded before the batch's
 * input goes on.
 */
final class MergedRows {
    /** As many rows as pages of Trino's readers have. */
    static final int MAX_ROWS = 8 * 1024;

    /**
     * A page is returned early once it holds this many bytes of pages that the inputs have left.
     */
    private static final long MAX_HELD_BYTES = 16 << 20;

    private final MergeLayout layout;
    private final RowRanges[] columns; // one for all columns, or one for each
    private long number;
    private long heldBytes;

    /**
     * @param isByColumn whether the columns of a row may come from several rows
     */
    MergedRows(MergeLayout layout, boolean isByColumn) {
        this.layout = requireNonNull(layout, "layout is null");
        this.columns = new RowRanges[isByColumn ? Math.max(1, layout.columnCount()) : 1];
        Arrays.setAll(columns, _ -> new RowRanges());
    }

    boolean isEmpty() {
        return columns[0].rowCount() == 0;
    }

    boolean isFull() {
        return columns[0].rowCount() >= MAX_ROWS || heldBytes >= MAX_HELD_BYTES;
    }

    /** How many more rows fit. */
    int room() {
        return Math.max(0, MAX_ROWS - columns[0].rowCount());
    }

    void add(MergeBatch batch, int start, int length) {
        batch.useIn(number);
        for (RowRanges column : columns) {
            column.add(batch, start, length);
        }
    }

    /**
     * Adds a row whose columns come from several rows.
     *
     * @param sources the input of each column, with the row it is at
     */
    void add(MergeInput[] sources) {
        for (int column = 0; column < sources.length; column++) {
            MergeBatch batch = sources[column].batch();
            batch.useIn(number);
            columns[column].add(batch, sources[column].position(), 1);
        }
    }

    /** Loads a batch of the result before the batch's input reads its next page. */
    void leave(MergeBatch batch) {
        if (batch.isUsedIn(number)) {
            batch.load();
            heldBytes += batch.retainedBytes();
        }
    }

    /** Returns the rows as a page, and begins the next page. */
    SourcePage take() {
        Block[] blocks = new Block[layout.columnCount()];
        int count = columns[0].rowCount();
        for (int channel = 0; channel < blocks.length; channel++) {
            RowRanges ranges = columns.length == 1 ? columns[0] : columns[channel];
            blocks[channel] =
                    TextLengths.cut(
                            ranges.block(layout.types().get(channel), channel),
                            layout.lengths().get(channel));
        }
        for (RowRanges column : columns) {
            column.clear();
        }
        heldBytes = 0;
        number++;
        return SourcePage.create(new Page(count, blocks));
    }

    /** The bytes of input pages that only this object holds. */
    long memoryBytes() {
        return heldBytes;
    }
}
