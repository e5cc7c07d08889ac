package io.stele.engine.aggregate;

import io.stele.columnfile.orc.ColumnChunk;
import java.io.IOException;

/**
 * A forward-only source of one part's rows as batches of column vectors, which may read files. It
 * starts before the first batch. Confined to one thread at a time.
 */
interface VectorSource extends AutoCloseable {
    /**
     * The maximal number of rows of a batch: some hundred microseconds of work, and small enough
     * for a core's own cache.
     */
    int BATCH_ROWS = ColumnChunk.MAX_ROWS;

    /**
     * Moves to the next batch; false at the end. Under {@link io.stele.objectstore.NonBlocking} it
     * throws where it would have to wait; the same call may then be repeated in a thread that may
     * wait.
     */
    boolean load() throws IOException;

    /** The number of rows of the batch. */
    int size();

    /** A column of the batch, by its position among the requested ones. */
    ValueVector column(int slot);

    /**
     * The rows of the batch that the reader sees.
     *
     * @param rows receives the positions of the rows in the batch, ascending
     * @return their number
     */
    int select(int[] rows);

    @Override
    void close() throws IOException;
}
