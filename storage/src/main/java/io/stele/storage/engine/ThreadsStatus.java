package io.stele.storage.engine;

import static java.util.Objects.requireNonNull;

import io.stele.scheduler.PoolLoad;
import io.stele.scheduler.PoolStatus;

/** What {@link EngineThreads} do at one moment; the components are named as there. */
public record ThreadsStatus(
        PoolStatus contexts,
        PoolLoad background,
        PoolLoad deciding,
        PoolLoad deleting,
        PoolLoad flushing,
        PoolLoad merging,
        PoolLoad lookups) {
    public ThreadsStatus {
        requireNonNull(contexts, "contexts is null");
        requireNonNull(background, "background is null");
        requireNonNull(deciding, "deciding is null");
        requireNonNull(deleting, "deleting is null");
        requireNonNull(flushing, "flushing is null");
        requireNonNull(merging, "merging is null");
        requireNonNull(lookups, "lookups is null");
    }
}
