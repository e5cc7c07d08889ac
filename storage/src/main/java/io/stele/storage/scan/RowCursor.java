package io.stele.storage.scan;

import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;

/**
 * Walks over the rows of one shard of a table as of one LSN, in no promised order. Starts before
 * the first row; what it shows is valid until it moves. Confined to one thread at a time.
 */
public interface RowCursor extends AutoCloseable {
    /**
     * Moves to the next row; false at the end.
     *
     * @throws io.stele.protocol.SteleException CORRUPT_DATA, naming the file
     */
    boolean next() throws IOException;

    /** The table in the schema version that the rows have. */
    TableSchema schema();

    /** The current row, with every column of the table's schema; reused by {@link #next}. */
    BinaryRow row();

    /** LSN of the row's version. */
    long lsn();

    /** The generated row id; -1 in tables with a primary key. */
    long rowId();

    @Override
    void close() throws IOException;
}
