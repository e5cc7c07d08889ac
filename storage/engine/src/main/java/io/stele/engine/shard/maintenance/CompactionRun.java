package io.stele.engine.shard.maintenance;

import static java.util.Objects.requireNonNull;

import io.stele.engine.compaction.TableMaintenance.Compaction;
import io.stele.engine.job.Progress;
import io.stele.objectstore.WorkWrites;
import java.util.List;

/**
 * A running compaction, or a running read of a file for sketches, with the callers that wait for
 * it. They see its progress, and it can be stopped. Confined to the shard's context; bytes are
 * counted on the thread of the compaction.
 */
final class CompactionRun {
    private final MaintenanceWaiters waiters;
    private final boolean asked;
    private final List<Progress.Part> parts;
    private final WorkWrites writes;

    /**
     * @param waiters the callers that wait for work of its kind
     */
    CompactionRun(Compaction compaction, MaintenanceWaiters waiters) {
        this.waiters = requireNonNull(waiters, "waiters is null");
        this.asked = !waiters.isEmpty();
        this.parts = waiters.begin(compaction.inputBytes());
        this.writes = new WorkWrites(bytes -> parts.forEach(part -> part.advance(bytes)));
    }

    WorkWrites writes() {
        return writes;
    }

    /** Stops the run if it was begun for callers, and none of them waits any longer. */
    void stopIfUnwanted() {
        if (asked && waiters.isEmpty()) {
            writes.stop();
        }
    }

    /** Ends the run for its waiting callers: its output counts, or it is to be done again. */
    void end(boolean isDone) {
        parts.forEach(isDone ? Progress.Part::finish : Progress.Part::giveUp);
    }
}
