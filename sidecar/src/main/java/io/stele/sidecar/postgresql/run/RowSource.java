package io.stele.sidecar.postgresql.run;

import io.stele.protocol.row.BinaryRow;
import java.io.IOException;

/** Rows of a table, one after the other. Confined to one thread at a time. */
interface RowSource extends AutoCloseable {
    /**
     * Moves to the next row; false at the end.
     *
     * @throws io.stele.protocol.SteleException STORE_FAILED
     */
    boolean next();

    /** The present row, valid until the next move. */
    BinaryRow row();

    /** The client takes no more for now: what can be read again may be given up. */
    default void pause() {}

    @Override
    void close() throws IOException;
}
