package io.stele.engine.job;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.maintenance.JobState;
import io.stele.protocol.api.maintenance.JobStatus;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A maintenance job that clients can join, cancel and wait for, without the work itself. It has one
 * round, or several if it was requested again meanwhile. It ends with the last round, and succeeds
 * if all rounds do.
 *
 * <p>Invariant: an ended job does not change. Guarded by itself; stages that wait for its end run
 * outside its lock.
 */
public final class Job {
    /**
     * The maximal number of rounds, so that a job that is requested again and again still ends for
     * its first callers.
     */
    private static final int MAX_ROUNDS = 8;

    private final String id;
    private final JobKey key;
    private final TableName table;
    private final Optional<String> index;
    private final LongSupplier nowMillis;
    private final Consumer<Job> onEnd;
    private final Progress progress = new Progress();
    private final long createdMillis;
    private final CompletableFuture<JobStatus> ended = new CompletableFuture<>();
    private Optional<String> user;
    private JobState state = JobState.QUEUED;
    private Optional<Long> startedMillis = Optional.empty();
    private Optional<Long> endedMillis = Optional.empty();
    private int requestCount;
    private int rounds;
    private int openRounds;
    private long result;
    private Optional<String> cancelledBy = Optional.empty();
    private @Nullable SteleException failure;

    Job(
            String id,
            JobKey key,
            TableName table,
            Optional<String> index,
            Optional<String> user,
            LongSupplier nowMillis,
            Consumer<Job> onEnd) {
        this.id = requireNonNull(id, "id is null");
        this.key = requireNonNull(key, "key is null");
        this.table = requireNonNull(table, "table is null");
        this.index = requireNonNull(index, "index is null");
        this.user = requireNonNull(user, "user is null");
        this.nowMillis = requireNonNull(nowMillis, "nowMillis is null");
        this.onEnd = requireNonNull(onEnd, "onEnd is null");
        this.createdMillis = nowMillis.getAsLong();
    }

    public String id() {
        return id;
    }

    public JobKey key() {
        return key;
    }

    /** The progress to which the work reports, and through which it is cancelled. */
    public Progress progress() {
        return progress;
    }

    /** Completes when the job has ended, also by failure or cancellation. */
    public CompletableFuture<JobStatus> ended() {
        return ended;
    }

    /**
     * Waits for the end, at most {@code waitMillis} milliseconds, and returns the status; blocks.
     */
    public JobStatus await(long waitMillis) throws InterruptedException {
        try {
            return ended.get(waitMillis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException later) {
            return status();
        } catch (ExecutionException e) {
            throw new IllegalStateException("Expected the end of a job, found a failure", e);
        }
    }

    /** Marks the job as running, since its work has begun. */
    public synchronized void start() {
        if (state == JobState.QUEUED) {
            state = JobState.RUNNING;
            startedMillis = Optional.of(nowMillis.getAsLong());
        }
    }

    /**
     * Adds another request for the same work.
     *
     * @param newRound whether the request needs another round, since the present round does not
     *     cover it
     * @return false if another job is needed, and nothing was changed
     */
    synchronized boolean join(Optional<String> other, boolean newRound) {
        if (state.hasEnded() || progress.isCancelled() || (newRound && rounds == MAX_ROUNDS)) {
            return false;
        }
        requestCount++;
        if (user.isEmpty()) {
            user = other;
        }
        if (newRound) {
            addRound();
        }
        return true;
    }

    /** Counts the first request of a new job, and starts it. */
    synchronized void begin() {
        requestCount++;
        start();
    }

    synchronized void addRound() {
        rounds++;
        openRounds++;
    }

    /** Ends a round that was added when its work ends. */
    void follow(CompletableFuture<Long> work) {
        work.whenComplete((value, failed) -> endRound(value, failed));
    }

    private void endRound(@Nullable Long value, @Nullable Throwable failed) {
        synchronized (this) {
            if (state.hasEnded()) {
                return;
            }
            openRounds--;
            result += value == null ? 0 : value;
            if (failed != null && failure == null) {
                failure = refusal(failed);
            }
            if (openRounds > 0) {
                return;
            }
            end();
        }
        notifyListener();
    }

    /** Ends the job now with a failure, even if its work still runs. */
    void fail(SteleException cause) {
        synchronized (this) {
            if (state.hasEnded()) {
                return;
            }
            failure = cause;
            end();
        }
        notifyListener();
    }

    private void end() {
        endedMillis = Optional.of(nowMillis.getAsLong());
        if (failure == null) {
            state = JobState.FINISHED;
        } else if (failure.code() == ErrorCode.CANCELLED) {
            state = JobState.CANCELLED;
            failure = new SteleException(ErrorCode.CANCELLED, cancellation(), failure);
        } else {
            state = JobState.FAILED;
        }
    }

    private String cancellation() {
        return "Job %s (%s of %s) was cancelled%s"
                .formatted(
                        id,
                        key.kind().label(),
                        index.map(name -> "index '%s' of %s".formatted(name, table))
                                .orElse(table.toString()),
                        cancelledBy.map(" by user '%s'"::formatted).orElse(""));
    }

    private void notifyListener() {
        onEnd.accept(this);
        ended.complete(status());
    }

    private static SteleException refusal(Throwable failed) {
        Throwable cause = failed;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof SteleException known
                ? known
                : new SteleException(ErrorCode.INTERNAL, "The engine failed: " + cause, cause);
    }

    /**
     * Requests that the job stops; its waiting callers fail when it has stopped. A cancelled job is
     * no error, since a request whose answer was lost is sent again.
     *
     * @throws SteleException INVALID_ARGUMENT if it has ended otherwise
     */
    void cancel(Optional<String> by) {
        synchronized (this) {
            if (state == JobState.CANCELLED) {
                return;
            }
            if (state.hasEnded()) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected a job that has not ended, found %s, which is %s"
                                .formatted(id, state.label()));
            }
            if (!progress.isCancelled()) {
                cancelledBy = by;
            }
        }
        progress.cancel();
    }

    /** Its present status. */
    public synchronized JobStatus status() {
        Progress.Count count = progress.count();
        Optional<SteleException> failed = Optional.ofNullable(failure);
        return new JobStatus(
                id,
                key.kind(),
                table,
                index,
                user,
                requestCount,
                state,
                createdMillis,
                startedMillis,
                endedMillis,
                count.done(),
                count.total(),
                result,
                failed.map(cause -> cause.code().name()),
                failed.map(cause -> String.valueOf(cause.getMessage())));
    }
}
