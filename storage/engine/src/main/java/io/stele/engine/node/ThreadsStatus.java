package io.stele.engine.node;

import static java.util.Objects.requireNonNull;

import io.stele.scheduler.PoolLoad;
import io.stele.scheduler.PoolStatus;

/**
 * The load of the pools of {@link EngineThreads} at one moment, for monitoring. The components have
 * the same names as in {@link EngineThreads}.
 */
public record ThreadsStatus(
        PoolStatus contexts,
        PoolLoad background,
        PoolLoad catalog,
        PoolLoad deciding,
        PoolLoad deleting,
        PoolLoad flushing,
        PoolLoad merging,
        PoolLoad loading,
        PoolLoad lookups) {
    public ThreadsStatus {
        requireNonNull(contexts, "contexts is null");
        requireNonNull(background, "background is null");
        requireNonNull(catalog, "catalog is null");
        requireNonNull(deciding, "deciding is null");
        requireNonNull(deleting, "deleting is null");
        requireNonNull(flushing, "flushing is null");
        requireNonNull(merging, "merging is null");
        requireNonNull(loading, "loading is null");
        requireNonNull(lookups, "lookups is null");
    }
}
