package io.stele.engine.scan;

import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;

/**
 * Walks over the rows of one shard of a table as of one LSN, in no promised order. Starts before
 * the first row; what it shows is valid until it moves. Confined to one thread at a time.
 */
public interface RowCursor extends AutoCloseable {
    /** What a step came to. */
    enum Step {
        /** The cursor is on a row. */
        ROW,
        /** The cursor is on none; there may be more. */
        NONE,
        /** There is no further row. */
        END
    }

    /**
     * Goes on by about as much as a row takes, so that whoever shares a thread can give it back
     * between steps. Under {@link io.stele.objectstore.NonBlocking} a step that would have to wait
     * throws, and the same step taken elsewhere goes on.
     *
     * @throws io.stele.protocol.SteleException CORRUPT_DATA, naming the file
     */
    Step step() throws IOException;

    /** Moves to the next row; false at the end. As {@link #step}, which it calls until then. */
    default boolean next() throws IOException {
        while (true) {
            Step step = step();
            if (step != Step.NONE) {
                return step == Step.ROW;
            }
        }
    }

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
