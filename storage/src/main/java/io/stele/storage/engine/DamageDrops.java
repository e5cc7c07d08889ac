package io.stele.storage.engine;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.storage.objectstore.ObjectStore;
import io.stele.storage.shard.Damage;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives damaged objects up, by name, on request; the next start goes on without them. A data file
 * goes with its rows, a log record with what it changed, and of a manifest the version before comes
 * back. Safe for use by many threads.
 */
final class DamageDrops {
    private final ObjectStore store;
    private final Supplier<List<Damage>> damages;
    private final Executor background;

    /**
     * @param damages what is set aside now
     */
    DamageDrops(ObjectStore store, Supplier<List<Damage>> damages, Executor background) {
        this.store = requireNonNull(store, "store is null");
        this.damages = requireNonNull(damages, "damages is null");
        this.background = requireNonNull(background, "background is null");
    }

    /**
     * Completes when it is durable that an object is given up.
     *
     * @param object as {@link Damage#object} says; INVALID_ARGUMENT if nothing is set aside for it
     */
    CompletableFuture<@Nullable Void> drop(String object) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        try {
            background.execute(
                    () -> {
                        try {
                            dropNow(object);
                            done.complete(null);
                        } catch (IOException failed) {
                            done.completeExceptionally(
                                    new SteleException(
                                            ErrorCode.STORE_FAILED,
                                            "Cannot drop %s: %s".formatted(object, failed),
                                            failed));
                        } catch (RuntimeException refused) {
                            done.completeExceptionally(refused);
                        }
                    });
        } catch (RejectedExecutionException full) {
            done.completeExceptionally(
                    new SteleException(ErrorCode.BUSY, "Background work is behind", full));
        }
        return done;
    }

    private void dropNow(String object) throws IOException {
        List<String> known = damages.get().stream().map(Damage::object).distinct().toList();
        boolean isManifest = object.startsWith(DroppedObjects.MANIFESTS);
        if (!known.contains(object)
                || !(isManifest
                        || object.startsWith(DroppedObjects.DATA)
                        || object.startsWith(DroppedObjects.LOG))) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a data file, a log record or a manifest version that something is set aside for (now: %s), found '%s'"
                            .formatted(known, object));
        }
        byte[] content = isManifest ? store.readFully(object) : new byte[0];
        DroppedObjects.drop(store, object, content);
        if (isManifest) {
            store.delete(object); // its bytes are with the name
        }
    }
}
