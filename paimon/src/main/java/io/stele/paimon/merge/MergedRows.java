package io.stele.paimon.merge;

import static java.util.Objects.requireNonNull;

import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.connector.SourcePage;
import java.util.Arrays;

/**
 * The rows of the next page of a merge's result, gathered from pages of its inputs. Confined to one
 * driver.
 *
 * <p>Invariant: of a batch that it has rows of, all wanted columns are loaded before the batch's
 * input goes on.
 */
final class MergedRows {
    /** As many as Trino's readers give. */
    static final int MAX_ROWS = 8 * 1024;

    /** A page is given out early rather than hold more than this of pages behind the inputs. */
    private static final long MAX_HELD_BYTES = 16 << 20;

    private final MergeLayout layout;
    private final RowRanges[] columns; // one for all columns, or one for each
    private long number;
    private long heldBytes;

    /**
     * @param isByColumn whether the columns of a row may be of several rows
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
     * Adds a row whose columns are of several rows.
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

    /** The input of a batch goes on. */
    void leave(MergeBatch batch) {
        if (batch.isUsedIn(number)) {
            batch.load();
            heldBytes += batch.retainedBytes();
        }
    }

    /** The rows, which are no more here. */
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

    /** Of pages that only this holds. */
    long memoryBytes() {
        return heldBytes;
    }
}
