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

    /** So many units more are to be done. */
    public synchronized void expect(long units) {
        total += units;
    }

    /** So many units of what was expected are done. */
    public synchronized void advance(long units) {
        done = Math.min(total, done + units);
    }

    /** Expects units that may be given up, as of a merge that fails and is begun anew. */
    public Part begin(long units) {
        expect(units);
        return new Part(this, units);
    }

    /** As of one moment. */
    public synchronized Count count() {
        return new Count(done, total);
    }

    /** Asks that the work stops where nothing is left half done. */
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

    /** Runs something when the work is to stop, on the thread that says so; now, if it did. */
    public void whenCancelled(Runnable hook) {
        cancelled.thenRun(hook);
    }

    /** What work ends with that was cancelled. */
    public static SteleException refusal() {
        return new SteleException(ErrorCode.CANCELLED, "The work was cancelled");
    }

    private synchronized void giveUp(long unitsDone, long units) {
        done -= unitsDone;
        total -= units;
    }

    /** Units done, and units known. */
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

        /** So many more are done; what is beyond those expected does not count. */
        public synchronized void advance(long more) {
            long counted = Math.min(more, units - done);
            done += counted;
            progress.advance(counted);
        }

        /** All are done. */
        public synchronized void finish() {
            advance(units - done);
        }

        /** None is done: somebody begins anew, or nobody does. */
        public synchronized void giveUp() {
            progress.giveUp(done, units);
            done = units; // what comes late does not count
        }
    }
}
