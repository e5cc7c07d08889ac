package io.stele.sidecar.postgresql.run;

import java.io.IOException;

/**
 * The rows of a fixed plan's result, independent of a protocol's form, which a sink receives one by
 * one. Confined to one thread at a time; to be closed, also after a failure.
 */
public interface PlanRows extends AutoCloseable {
    /**
     * Passes the next row to a sink; false at the end, without a row.
     *
     * @throws StalePlanException also after some rows
     */
    boolean next(RowSink sink) throws IOException;

    /** Called while the client receives nothing: rows that can be read again may be released. */
    default void pause() {}

    @Override
    void close() throws IOException;
}
