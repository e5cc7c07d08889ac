package io.stele.sidecar.flight.sql;

import io.stele.protocol.arrow.ArrowBatch;
import java.util.concurrent.CompletableFuture;

/**
 * The work of one DoPut of Flight SQL, which receives batches one after the other and returns one
 * result at the end. Calls come one at a time, from any thread.
 */
public interface SqlPut {
    /**
     * Processes a batch, whose memory it may use until that is done, or longer.
     *
     * @return completes when the batch is processed, as far as that is possible before the end
     */
    CompletableFuture<Void> add(ArrowBatch batch);

    /** Whether there are no batches: it may be finished at once. */
    boolean takesNoBatches();

    /** Whether batches are kept until {@link #close}, rather than until they are processed. */
    boolean keepsBatches();

    /**
     * Ends the batches.
     *
     * @return the metadata of the only result; without bytes: none
     */
    CompletableFuture<byte[]> finish();

    /** Ends the call; work that was not finished is aborted. */
    void close();
}
