package io.stele.sidecar.engine;

import io.stele.engine.job.Job;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.maintenance.JobStatus;
import io.stele.scheduler.fragment.FragmentException;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * The waits for futures and jobs of the engine on the virtual thread of a call, and the translation
 * of their failures. Stateless.
 */
public final class Blocking {
    private Blocking() {}

    /** Waits for a future; throws its failure. */
    public static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SteleException(ErrorCode.UNAVAILABLE, "The sidecar is shutting down", e);
        } catch (CancellationException e) {
            throw new SteleException(ErrorCode.UNAVAILABLE, "The client has cancelled the call", e);
        } catch (ExecutionException e) {
            throw switch (e.getCause()) {
                case SteleException failure -> failure;
                case FragmentException failure -> ofFragment(failure);
                case CancellationException cancelled ->
                        new SteleException(
                                ErrorCode.UNAVAILABLE,
                                "The client has cancelled the call",
                                cancelled);
                case null -> new SteleException(ErrorCode.INTERNAL, "The engine failed", e);
                case Throwable failure ->
                        new SteleException(
                                ErrorCode.INTERNAL, "The engine failed: " + failure, failure);
            };
        }
    }

    /** Waits for a job; returns its status at its end, or after {@code waitMillis}. */
    public static JobStatus await(Job job, long waitMillis) {
        try {
            return job.await(waitMillis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SteleException(ErrorCode.UNAVAILABLE, "The sidecar is shutting down", e);
        }
    }

    /** The original failure, with the name of its fragment. */
    private static SteleException ofFragment(FragmentException failure) {
        return switch (failure.getCause()) {
            case SteleException known ->
                    new SteleException(
                            known.code(),
                            "%s (in the %s)".formatted(known.getMessage(), failure.fragment()),
                            known);
            case IOException unreadable ->
                    new SteleException(
                            ErrorCode.STORE_FAILED,
                            "The warehouse cannot be read: %s (in the %s)"
                                    .formatted(unreadable.getMessage(), failure.fragment()),
                            unreadable);
            case null, default ->
                    new SteleException(
                            ErrorCode.INTERNAL,
                            "The %s failed; the sidecar's log says why"
                                    .formatted(failure.fragment()),
                            failure);
        };
    }
}
