package io.stele.engine.shard;

import java.util.concurrent.CompletableFuture;

/** The forwarding of one future's outcome to another. */
final class Futures {
    private Futures() {}

    static <T> void forward(CompletableFuture<T> from, CompletableFuture<T> to) {
        from.whenComplete(
                (value, failure) -> {
                    if (failure != null) {
                        to.completeExceptionally(failure);
                    } else {
                        to.complete(value);
                    }
                });
    }
}
