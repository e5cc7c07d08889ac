package io.stele.connector.write;

import io.trino.spi.Page;
import io.trino.spi.block.Block;

/**
 * A collector of the rows that one writer of an UPDATE, DELETE or MERGE deletes. Confined to one
 * thread.
 */
interface RowDeletes {
    /** Deletes the row with this row id. */
    void delete(Block rowIds, int position);

    /** Records a row that the same writer adds; called in the order of all changes. */
    void inserted(Page page, int position);

    long retainedBytes();

    /** Stages everything in the sidecar's transaction. */
    void finish();

    void abort();
}
