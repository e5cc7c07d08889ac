package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.InsertedKeys;
import io.stele.protocol.ShardId;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The keys of files that a transaction inserts, by shard, with what {@link NewKeyCheck} has found
 * out. One step at a time uses it.
 */
final class CheckedKeys {
    /** Of a transaction whose files may replace rows, or that has none. */
    static final CheckedKeys NONE = new CheckedKeys(Map.of(), Optional.empty());

    private final Map<ShardId, InsertedKeys> byShard;
    private final Optional<NewKeyCheck> check;

    private CheckedKeys(Map<ShardId, InsertedKeys> byShard, Optional<NewKeyCheck> check) {
        this.byShard = Map.copyOf(byShard);
        this.check = requireNonNull(check, "check is null");
    }

    static CheckedKeys of(Map<ShardId, InsertedKeys> byShard, NewKeyCheck check) {
        return new CheckedKeys(byShard, Optional.of(check));
    }

    boolean isEmpty() {
        return byShard.isEmpty();
    }

    /** The keys of files in a shard. */
    Optional<InsertedKeys> of(ShardId shard) {
        return Optional.ofNullable(byShard.get(shard));
    }

    /** Searches what has changed since the last search; fails with DUPLICATE_KEY. */
    CompletableFuture<@Nullable Void> searchAgain(Executor executor) {
        return check.isPresent()
                ? check.get().searchAgain(byShard, executor)
                : CompletableFuture.completedFuture(null);
    }
}
