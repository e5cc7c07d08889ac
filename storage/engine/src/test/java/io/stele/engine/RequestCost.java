package io.stele.engine;

import io.stele.engine.node.CacheOptions;
import io.stele.engine.node.StorageOptions;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.RoundsStore;
import io.stele.objectstore.RoundsStore.Recorded;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/** Requests of a remote store that some work made, and the rounds that it waited for. */
record RequestCost(int requests, int rounds) {
    /** More than any limit: of nothing that was recorded yet. */
    static final RequestCost UNKNOWN = new RequestCost(Integer.MAX_VALUE, Integer.MAX_VALUE);

    /** A thread that is slow to wake up makes it look like a round more. */
    static final int ATTEMPTS = 6;

    /** Rows and row groups are not cached: what is in memory are metadata and indexes. */
    static final CacheOptions CACHES =
            new CacheOptions(256L << 20, 128L << 20, 64L << 20, 1, 128L << 20, 0);

    static RequestCost of(Recorded<?> recorded) {
        return new RequestCost(recorded.requests().size(), recorded.rounds());
    }

    boolean isWithin(RequestCost limit) {
        return requests <= limit.requests && rounds <= limit.rounds;
    }

    /**
     * A node over a store that counts, which does not flush by itself.
     *
     * @param made gets the store of each start
     */
    static SimulatedNode start(CacheOptions caches, AtomicReference<RoundsStore> made)
            throws IOException {
        return start(
                caches,
                store -> {
                    made.set(new RoundsStore(store));
                    return made.get();
                });
    }

    /**
     * A node over one store that counts, starts included, which does not flush by itself.
     *
     * @param newest gets the store of each start
     * @param counting over {@link NewestStore} of that
     */
    static SimulatedNode start(AtomicReference<ObjectStore> newest, RoundsStore counting)
            throws IOException {
        return start(
                CACHES,
                store -> {
                    newest.set(store);
                    return counting;
                });
    }

    private static SimulatedNode start(CacheOptions caches, UnaryOperator<ObjectStore> over)
            throws IOException {
        return SimulatedNode.start(options(caches), 1, over);
    }

    /** Of a node that does not flush by itself. */
    static StorageOptions options(CacheOptions caches) {
        return StorageOptions.DEFAULT
                .withMemTables(1L << 30, 2L << 30, Duration.ofDays(1))
                .withCaches(caches);
    }
}
