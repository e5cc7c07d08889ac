package io.stele.sidecar.postgresql.run;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * The cancellation of a client's statement, by a request of the client or a timeout. Reads stop; a
 * write that was sent to the log is awaited, because only its outcome is of use. Thread-safe.
 */
public final class Cancellation {
    private final LongSupplier nanoTime;
    private volatile CompletableFuture<PostgresException> requested = new CompletableFuture<>();
    private volatile long deadlineNanos = Long.MAX_VALUE;
    private volatile boolean hasDeadline;

    public Cancellation(LongSupplier nanoTime) {
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
    }

    /**
     * Begins a statement; requests for the one before have no effect on it.
     *
     * @param timeoutMillis 0: none
     */
    public void begin(long timeoutMillis) {
        requested = new CompletableFuture<>();
        hasDeadline = timeoutMillis > 0;
        deadlineNanos =
                hasDeadline
                        ? nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis)
                        : Long.MAX_VALUE;
    }

    /** Ends the statement that runs, if one does. */
    public void request() {
        requested.complete(
                new PostgresException(
                        SqlState.QUERY_CANCELED, "The statement was cancelled by its client"));
    }

    /**
     * @throws PostgresException QUERY_CANCELED
     */
    public void check() {
        if (requested.isDone()) {
            throw requested.join();
        }
        if (hasDeadline && nanoTime.getAsLong() - deadlineNanos > 0) {
            throw timedOut();
        }
    }

    private static PostgresException timedOut() {
        return new PostgresException(
                SqlState.QUERY_CANCELED,
                "The statement took longer than its client permits (statement_timeout)");
    }

    /** Waits for a read. */
    public <T> T await(CompletableFuture<T> read) {
        check();
        if (read.isDone()) {
            return outcome(read);
        }
        CompletableFuture<Object> first = CompletableFuture.anyOf(read, requested);
        try {
            if (hasDeadline) {
                first.get(Math.max(deadlineNanos - nanoTime.getAsLong(), 0), TimeUnit.NANOSECONDS);
            } else {
                first.get();
            }
        } catch (TimeoutException e) {
            throw timedOut();
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (ExecutionException e) {
            throw failure(e);
        }
        check();
        return outcome(read);
    }

    /** Waits for an operation that cannot be undone. */
    public static <T> T outcome(CompletableFuture<T> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (ExecutionException e) {
            throw failure(e);
        }
    }

    private static SteleException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new SteleException(ErrorCode.UNAVAILABLE, "The sidecar is shutting down", e);
    }

    private static RuntimeException failure(ExecutionException e) {
        return switch (e.getCause()) {
            case SteleException known -> known;
            case PostgresException known -> known;
            case Throwable other ->
                    new SteleException(ErrorCode.INTERNAL, "The engine failed: " + other, other);
            case null -> new SteleException(ErrorCode.INTERNAL, "The engine failed", e);
        };
    }
}
