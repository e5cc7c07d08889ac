package io.stele.engine.shard.apply;

import static java.util.Objects.requireNonNull;

import io.stele.engine.tablet.ObsoleteRows;
import io.stele.protocol.Lsn;
import io.stele.scheduler.ExecutionContext;
import io.stele.scheduler.WorkUnit;
import io.stele.scheduler.YieldSignal;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * One apply worker of a shard, which applies the rows of its hash bucket from log records to
 * memory, on its own execution context.
 *
 * <p>Invariant: it applies its part of a record as a whole or not at all, and each once. When
 * records come again because another worker could not apply them, it skips those that it has
 * applied.
 *
 * <p>Confined to its context, or to the shard's while the apply workers are idle; {@link #passed}
 * is for any thread.
 */
public final class ApplyWorker {
    private final int index;
    private final ExecutionContext context;
    private final Consumer<RecordGroup> onEnd;
    private long doneLsn; // its part of every record at or below is applied
    private long failedAttempt = -1;
    private volatile long passedLsn; // of the last group

    /**
     * @param onEnd receives a group that all apply workers have finished; called on the last
     *     worker's context
     */
    public ApplyWorker(int index, ExecutionContext context, Consumer<RecordGroup> onEnd) {
        this.index = index;
        this.context = requireNonNull(context, "context is null");
        this.onEnd = requireNonNull(onEnd, "onEnd is null");
    }

    /** Queues a group behind the earlier groups. */
    public void start(RecordGroup group) {
        context.start(new Walk(group));
    }

    /** The LSN up to which this worker has applied its part of every group; any thread. */
    public Lsn passed() {
        return new Lsn(passedLsn);
    }

    /** Whether it has applied its part of a record; only while the apply workers are idle. */
    public boolean hasApplied(Lsn lsn) {
        return doneLsn >= lsn.value();
    }

    /**
     * Applies its part of a record, unless it has already; only while the apply workers are idle.
     */
    public void applyHere(ApplyWork work, ObsoleteRows obsolete) throws IOException {
        if (!hasApplied(work.lsn())) {
            work.apply(index, obsolete);
            doneLsn = work.lsn().value();
        }
    }

    /** The application of one group, which may yield after each record. */
    private final class Walk implements WorkUnit {
        private final RecordGroup group;
        private int next;

        private Walk(RecordGroup group) {
            this.group = group;
        }

        @Override
        public boolean step(YieldSignal signal) {
            boolean going = failedAttempt != group.attempt();
            while (going && next < group.work().size()) {
                going = apply(group.work().get(next));
                next++;
                if (going && signal.shouldYield() && next < group.work().size()) {
                    return false;
                }
            }
            if (going) {
                doneLsn = Math.max(doneLsn, group.lastLsn().value());
                passedLsn = doneLsn;
            }
            if (group.end()) {
                onEnd.accept(group);
            }
            return true;
        }

        private boolean apply(ApplyWork work) {
            try {
                applyHere(work, group.obsolete(index));
                return true;
            } catch (Exception broken) {
                group.fail(index, work.place(), broken);
            } catch (Error broken) {
                group.fail(index, work.place(), new IllegalStateException(broken));
            }
            failedAttempt = group.attempt();
            return false;
        }
    }
}
