package io.stele.engine.recovery;

import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.CatalogService;
import io.stele.engine.manifest.ManifestStore;
import io.stele.engine.shard.Damage;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The operation that gives up damaged objects by name, on request; the next start continues without
 * them. A data file and a lost table are given up with their rows. Log records are given up with
 * their changes and with the shard's answers to their writers. Of a manifest, the version before
 * the damaged one becomes current again. A transaction whose decision is given up is aborted unless
 * its end is logged. Thread-safe.
 */
public final class DamageDrops {
    /** Objects that a start finds by their name, and not in a manifest or the log. */
    private static final List<String> MOVED =
            List.of(
                    DroppedObjects.MANIFESTS,
                    DroppedObjects.KEPT,
                    DroppedObjects.DECISIONS,
                    DroppedObjects.CATALOG);

    private final ObjectStore store;
    private final Function<ShardId, ManifestStore> manifests;
    private final CatalogService catalog;
    private final Supplier<List<Damage>> damages;
    private final Executor background;

    /**
     * @param damages supplies what is set aside now
     */
    public DamageDrops(
            ObjectStore store,
            Function<ShardId, ManifestStore> manifests,
            CatalogService catalog,
            Supplier<List<Damage>> damages,
            Executor background) {
        this.store = requireNonNull(store, "store is null");
        this.manifests = requireNonNull(manifests, "manifests is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.damages = requireNonNull(damages, "damages is null");
        this.background = requireNonNull(background, "background is null");
    }

    /**
     * Completes when it is durable that an object is given up.
     *
     * @param object a value of {@link Damage#object}; the future fails with INVALID_ARGUMENT if
     *     nothing is set aside for it
     */
    public CompletableFuture<@Nullable Void> drop(String object) {
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
        List<Damage> known = damages.get();
        Optional<Damage> damage =
                known.stream().filter(one -> one.object().equals(object)).findFirst();
        boolean isMoved = MOVED.stream().anyMatch(object::startsWith);
        if (damage.isEmpty()
                || !(isMoved
                        || object.startsWith(DroppedObjects.DATA)
                        || object.startsWith(DroppedObjects.TABLES)
                        || object.startsWith(DroppedObjects.LOG))) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected an object of data, manifests, decisions or kept records, a catalog version, a lost table or a log record that something is set aside for (now: %s), found '%s'"
                            .formatted(
                                    known.stream().map(Damage::object).distinct().toList(),
                                    object));
        }
        if (!isMoved) {
            DroppedObjects.drop(store, object, new byte[0]);
            return;
        }
        if (isBase(object)) {
            dropVersionsOf(object, manifests.apply(damage.get().shard().orElseThrow()));
        }
        if (object.startsWith(DroppedObjects.CATALOG)) {
            catalog.checkCanBeGivenUp(object);
        }
        move(object);
    }

    private static boolean isBase(String object) {
        return object.startsWith(DroppedObjects.MANIFESTS) && object.contains("/base/");
    }

    /**
     * Gives up the manifest versions that need a base, so the version before them becomes current.
     */
    private void dropVersionsOf(String base, ManifestStore versions) throws IOException {
        List<String> needing = versions.versionsOf(base);
        if (needing.isEmpty() || !versions.hasVersionBefore(needing.getLast())) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a manifest version before those that need %s, found none: all that the shard has in files would be lost; put the object back"
                            .formatted(base));
        }
        for (String version : needing) {
            move(version);
        }
    }

    private void move(String object) throws IOException {
        byte[] content;
        try {
            content = store.readStored(object); // it may not decrypt: that is its damage
        } catch (NoSuchFileException lost) {
            DroppedObjects.dropLost(store, object); // or moved by a drop before this one
            return;
        }
        DroppedObjects.drop(store, object, content);
        store.delete(object); // its bytes are with the name
    }
}
