package io.stele.client;

import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.util.concurrent.CompletableFuture;

/**
 * The future LSN of a batch of a {@link TableWriter}, shared by all its rows. Only the client
 * completes it; users can wait and chain, but not complete or cancel it. A batch that had to be
 * split and sent in several parts completes with the greatest LSN of its parts. Guarded by its own
 * lock.
 */
final class BatchFuture extends CompletableFuture<Lsn> {
    private int parts = 1;
    private Lsn greatest = Lsn.MIN;

    /** Adds a part that must be acknowledged. */
    synchronized void addPart() {
        parts++;
    }

    /** Called when a part was acknowledged; returns true if it was the last one. */
    boolean partDone(Lsn lsn) {
        Lsn result;
        synchronized (this) {
            if (lsn.compareTo(greatest) > 0) {
                greatest = lsn;
            }
            parts--;
            if (parts > 0) {
                return false;
            }
            result = greatest;
        }
        super.complete(result);
        return true;
    }

    void fail(SteleException failure) {
        super.completeExceptionally(failure);
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }

    @Override
    public boolean complete(Lsn value) {
        throw refused();
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        throw refused();
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return false;
    }

    @Override
    public void obtrudeValue(Lsn value) {
        throw refused();
    }

    @Override
    public void obtrudeException(Throwable failure) {
        throw refused();
    }

    private static UnsupportedOperationException refused() {
        return new UnsupportedOperationException(
                "Only the client completes the future of a batch; use copy()");
    }
}
