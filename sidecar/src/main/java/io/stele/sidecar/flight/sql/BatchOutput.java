package io.stele.sidecar.flight.sql;

import io.stele.protocol.arrow.ArrowMessage;

/** The stream of a result to its client, which it may wait for. Confined to one thread. */
public interface BatchOutput {
    /** Sends the schema, before all batches. */
    void schema(byte[] message);

    /**
     * Sends a batch once the client can take it.
     *
     * @throws io.stele.protocol.SteleException UNAVAILABLE: the client has gone
     */
    void batch(ArrowMessage batch);
}
