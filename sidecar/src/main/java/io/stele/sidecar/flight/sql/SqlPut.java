package io.stele.sidecar.flight.sql;

import io.stele.protocol.arrow.ArrowBatch;
import java.util.concurrent.CompletableFuture;

/**
 * What a client's DoPut does: it takes its batches one after the other, and has one result at the
 * end. Calls come one at a time, from any thread.
 */
public interface SqlPut {
    /**
     * Takes a batch, whose memory this may use until it is dealt with, or longer.
     *
     * @return completes when the batch has been dealt with, so far as it is before the end
     */
    CompletableFuture<Void> add(ArrowBatch batch);

    /** Whether there are no batches: it may be finished at once. */
    boolean takesNoBatches();

    /** Whether batches are kept until {@link #close}, rather than until they are dealt with. */
    boolean keepsBatches();

    /**
     * There are no more batches.
     *
     * @return the metadata of the only result; without bytes: none
     */
    CompletableFuture<byte[]> finish();

    /** The call has ended, in whatever way: what was not finished is given up. */
    void close();
}
