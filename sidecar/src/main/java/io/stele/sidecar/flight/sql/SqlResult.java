package io.stele.sidecar.flight.sql;

import java.io.IOException;

/** The rows that a ticket stands for, which are read once. */
public interface SqlResult {
    /** Sends the schema and the rows; blocks. */
    void send(BatchOutput out) throws IOException;

    /** Ends it early, from any thread. */
    void cancel();
}
