package io.stele.engine.aggregate;

/**
 * The selection vector of a batch: the positions of the rows that match so far, fewer with each
 * condition. Confined to one thread.
 */
final class Selection {
    /**
     * If at least one row in this many is selected, processing all rows is cheaper than picking.
     */
    private static final int DENSE = 4;

    /** Positions in the batch, ascending. */
    final int[] rows = new int[VectorSource.BATCH_ROWS];

    /** The number of valid elements of {@link #rows}. */
    int count;

    /** Rows of the batch. */
    int size;

    /** Selects all rows of a batch that the reader sees. */
    void start(VectorSource batch) {
        size = batch.size();
        count = batch.select(rows);
    }

    /**
     * Whether to process all rows of the batch, where results of rows that are not selected do no
     * harm. Once false, it stays false for the batch.
     */
    boolean isDense() {
        return count >= size / DENSE;
    }
}
