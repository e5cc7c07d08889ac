package io.stele.sidecar.flight;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for the engine on the virtual thread of a call. */
final class Blocking {
    private Blocking() {}

    /** The outcome of a future; its failure as it is. */
    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SteleException(ErrorCode.UNAVAILABLE, "The sidecar is shutting down", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SteleException failure) {
                throw failure;
            }
            throw new SteleException(
                    ErrorCode.INTERNAL,
                    "The engine failed: " + e.getCause(),
                    e.getCause() == null ? e : e.getCause());
        }
    }
}
