package io.stele.sidecar.flight.sql;

import java.io.IOException;

/** The result behind a Flight SQL ticket, which a DoGet sends once. */
public interface SqlResult {
    /** Sends the schema and the rows; blocks. */
    void send(BatchOutput out) throws IOException;

    /** Ends it early, from any thread. */
    void cancel();
}
