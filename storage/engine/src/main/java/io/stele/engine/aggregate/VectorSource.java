package io.stele.engine.aggregate;

import io.stele.columnfile.orc.ColumnChunk;
import java.io.IOException;

/** Rows as batches of vectors. Starts before the first batch. Confined to one thread at a time. */
interface VectorSource extends AutoCloseable {
    /** Most rows of a batch: some hundred microseconds of work, and well in a core's own cache. */
    int BATCH_ROWS = ColumnChunk.MAX_ROWS;

    /**
     * Moves to the next batch; false at the end. Under {@link io.stele.objectstore.NonBlocking} it
     * throws where it would have to wait; the same call may then be repeated in a thread that may
     * wait.
     */
    boolean load() throws IOException;

    /** Rows of the batch. */
    int size();

    /** A column of the batch, by its position among the requested ones. */
    ValueVector column(int slot);

    /**
     * The rows of the batch that the reader sees.
     *
     * @param rows where to put their positions, ascending
     * @return how many
     */
    int select(int[] rows);

    @Override
    void close() throws IOException;
}
