package io.stele.sidecar.postgresql.run;

import io.stele.sidecar.postgresql.wire.MessageWriter;
import java.io.IOException;

/**
 * The rows of a result, written one by one as messages to a client of PostgreSQL's protocol.
 * Confined to one thread at a time; to be closed, also after a failure.
 */
public interface ResultRows extends AutoCloseable {
    /** Writes the next row as a DataRow message; false at the end, where nothing is written. */
    boolean writeNext(MessageWriter out) throws IOException;

    /** Called while the client receives nothing: rows that can be read again may be released. */
    default void pause() {}

    @Override
    void close() throws IOException;
}
