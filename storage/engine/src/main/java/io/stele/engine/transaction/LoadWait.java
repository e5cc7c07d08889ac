package io.stele.engine.transaction;

import java.util.concurrent.CompletableFuture;

/**
 * The wait of a bulk load's client thread for a step of the load. It may end before the step, by an
 * exception, as when the client cancels its statement.
 */
@FunctionalInterface
public interface LoadWait {
    /** Returns when the step is done; fails as the step, or because nobody waits any more. */
    void until(CompletableFuture<?> step);
}
