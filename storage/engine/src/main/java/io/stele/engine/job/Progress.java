package io.stele.engine.job;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The shared progress of a job, as done and expected units of work, with its cancellation request,
 * which the work checks between steps.
 *
 * <p>Invariant: {@code 0 <= done <= total}. Guarded by itself; hooks run outside of its lock.
 */
public final class Progress {
    private final CompletableFuture<@Nullable Void> cancelled = new CompletableFuture<>();
    private long done;
    private long total;

    /** Adds units that are to be done. */
    public synchronized void expect(long units) {
        total += units;
    }

    /** Counts expected units as done. */
    public synchronized void advance(long units) {
        done = Math.min(total, done + units);
    }

    /** Expects units that may be given up, as when a compaction fails and is started again. */
    public Part begin(long units) {
        expect(units);
        return new Part(this, units);
    }

    /** The counts at one moment. */
    public synchronized Count count() {
        return new Count(done, total);
    }

    /** Requests that the work stops at a point where nothing is left half done. */
    public void cancel() {
        cancelled.complete(null);
    }

    public boolean isCancelled() {
        return cancelled.isDone();
    }

    /** Throws CANCELLED if the work was cancelled; called between two steps of the work. */
    public void checkNotCancelled() {
        if (isCancelled()) {
            throw refusal();
        }
    }

    /**
     * Runs a hook on the cancelling thread when the work is cancelled, or at once if it already
     * was.
     */
    public void whenCancelled(Runnable hook) {
        cancelled.thenRun(hook);
    }

    /** The failure with which cancelled work ends. */
    public static SteleException refusal() {
        return new SteleException(ErrorCode.CANCELLED, "The work was cancelled");
    }

    private synchronized void giveUp(long unitsDone, long units) {
        done -= unitsDone;
        total -= units;
    }

    /** Units done, and units expected so far. */
    public record Count(long done, long total) {}

    /** Units that are done or given up together. Guarded by itself. */
    public static final class Part {
        private final Progress progress;
        private final long units;
        private long done;

        private Part(Progress progress, long units) {
            this.progress = requireNonNull(progress, "progress is null");
            this.units = units;
        }

        /** Counts more units as done, up to the expected number. */
        public synchronized void advance(long more) {
            long counted = Math.min(more, units - done);
            done += counted;
            progress.advance(counted);
        }

        /** Counts all units as done. */
        public synchronized void finish() {
            advance(units - done);
        }

        /** Removes all units, done and expected, since the work is started again or given up. */
        public synchronized void giveUp() {
            progress.giveUp(done, units);
            done = units; // later calls of advance count nothing
        }
    }
}
