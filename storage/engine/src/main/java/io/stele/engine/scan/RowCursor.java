package io.stele.engine.scan;

import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;

/**
 * A cursor over the rows of one shard of a table as of one LSN, in no defined order. It starts
 * before the first row; the present row is valid until it moves. Confined to one thread at a time.
 */
public interface RowCursor extends AutoCloseable {
    /** The outcome of a step. */
    enum Step {
        /** The cursor is on a row. */
        ROW,
        /** The cursor is on no row; there may be more. */
        NONE,
        /** There is no further row. */
        END
    }

    /**
     * Does about as much work as one row takes, so that a caller that shares its thread can yield
     * between steps. Under {@link io.stele.objectstore.NonBlocking} a step that would have to wait
     * throws; the same step may then be repeated in a thread that may wait.
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
