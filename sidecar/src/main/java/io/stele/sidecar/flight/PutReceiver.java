package io.stele.sidecar.flight;

import io.stele.engine.node.WriteRoom;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.PutResult;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The receiver of the batches of one DoPut. Confined to the incoming side of its stream. */
interface PutReceiver {
    /**
     * Writes one batch.
     *
     * @param room holds {@code heldBytes} for the message, until the receiver returns them or the
     *     stream ends
     * @return completes with the reply to the client when the batch is written
     */
    CompletableFuture<Optional<PutResult>> write(
            FlightData message, WriteRoom room, long heldBytes);

    /**
     * Whether the first message is the only one: such a client waits for the result before it ends
     * its side.
     */
    boolean takesNoBatches();

    /** Bytes that the latest batch takes beyond its message. */
    long encodedBytes();

    /** Ends the batches; completes with the last reply to the client. */
    CompletableFuture<Optional<PutResult>> finish();

    /** The call has ended, in whatever way; from any thread, perhaps more than once. */
    void close();
}
