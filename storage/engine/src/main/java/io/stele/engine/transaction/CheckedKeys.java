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
 * The keys of files that a transaction inserts, by shard, with what was found out about them. One
 * step at a time uses it.
 */
final class CheckedKeys {
    /** Of a transaction whose files may replace rows, or that has none. */
    static final CheckedKeys NONE =
            new CheckedKeys(Map.of(), (_, _) -> CompletableFuture.completedFuture(null));

    private final Map<ShardId, InsertedKeys> byShard;
    private final Search search;

    /** A search of what has changed since the last one; fails with DUPLICATE_KEY. */
    @FunctionalInterface
    interface Search {
        CompletableFuture<@Nullable Void> begin(
                Map<ShardId, InsertedKeys> byShard, Executor executor);
    }

    CheckedKeys(Map<ShardId, InsertedKeys> byShard, Search search) {
        this.byShard = Map.copyOf(byShard);
        this.search = requireNonNull(search, "search is null");
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
        return search.begin(byShard, executor);
    }
}
