package io.stele.connector.write;

import io.trino.spi.Page;
import io.trino.spi.block.Block;

/** A collector of the rows that one writer takes out of a table. Confined to one thread. */
interface RowDeletes {
    /** Takes out the row that a row id names. */
    void delete(Block rowIds, int position);

    /** Learns of a row that the same writer adds, in the order of all changes. */
    void inserted(Page page, int position);

    long retainedBytes();

    /** Hands everything to the transaction. */
    void finish();

    void abort();
}
