package io.stele.sidecar.postgresql.run;

import java.io.IOException;

/**
 * The rows of a fixed plan's result, in no protocol's form. Confined to one thread at a time; to be
 * closed, also after a failure.
 */
public interface PlanRows extends AutoCloseable {
    /**
     * Gives the next row to a sink; false at the end, where it gets nothing.
     *
     * @throws StalePlanException also after some rows
     */
    boolean next(RowSink sink) throws IOException;

    /** The client takes no more for now: what can be read again may be given up. */
    default void pause() {}

    @Override
    void close() throws IOException;
}
