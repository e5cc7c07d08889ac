package io.stele.sidecar.flight.sql;

import io.stele.protocol.arrow.ArrowMessage;

/**
 * The output of a Flight SQL result to its client; it blocks while the client is behind. Confined
 * to one thread.
 */
public interface BatchOutput {
    /** Sends the schema, before all batches. */
    void schema(byte[] message);

    /**
     * Sends a batch once the client can receive it.
     *
     * @throws io.stele.protocol.SteleException UNAVAILABLE if the client has gone
     */
    void batch(ArrowMessage batch);
}
