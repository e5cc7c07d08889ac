package io.stele.engine.job;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A count of what long work has done, of what it has found to do, and the wish that it stops.
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

    /** As of one moment. */
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

    /** Between two steps of the work: CANCELLED if there is to be no other. */
    public void checkNotCancelled() {
        if (isCancelled()) {
            throw refusal();
        }
    }

    /**
     * Runs a hook when the work is cancelled, on the cancelling thread; at once, if it was
     * cancelled before.
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

        /** All are done. */
        public synchronized void finish() {
            advance(units - done);
        }

        /** None of its units is done: the work is started again, or given up. */
        public synchronized void giveUp() {
            progress.giveUp(done, units);
            done = units; // what comes late does not count
        }
    }
}
