package io.stele.sidecar.postgresql.run;

import io.stele.protocol.row.BinaryRow;
import java.io.IOException;

/**
 * A cursor over the rows of a table for a fixed plan, from lookups, key ranges or scans. Confined
 * to one thread at a time.
 */
interface RowSource extends AutoCloseable {
    /**
     * Moves to the next row; false at the end.
     *
     * @throws io.stele.protocol.SteleException STORE_FAILED
     */
    boolean next();

    /** The present row, valid until the next move. */
    BinaryRow row();

    /** Called while the client receives nothing: rows that can be read again may be released. */
    default void pause() {}

    @Override
    void close() throws IOException;
}
