package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.grpc.stub.ServerCallStreamObserver;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.sidecar.engine.Blocking;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The outgoing messages of a gRPC call, sent by one thread that blocks while the client is behind.
 * So at most one message beyond gRPC's threshold is buffered for a slow client, for replies of any
 * size.
 *
 * <p>Guarded by its lock where gRPC's threads meet the writing thread; {@link #send} belongs to
 * that one thread.
 */
final class OutboundStream<T> {
    private final ServerCallStreamObserver<T> observer;
    private final long stallTimeoutNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile @Nullable Runnable whenCancelled;
    private volatile @Nullable Runnable whenGone;

    /** Must be made before the call's method returns: gRPC accepts no handlers later. */
    OutboundStream(
            ServerCallStreamObserver<T> observer, int readyThresholdBytes, long stallTimeoutNanos) {
        this.observer = requireNonNull(observer, "observer is null");
        this.stallTimeoutNanos = stallTimeoutNanos;
        observer.setOnReadyThreshold(readyThresholdBytes);
        observer.setOnReadyHandler(this::signal);
        observer.setOnCancelHandler(this::cancelled);
    }

    /**
     * Sends a message once the client can receive it.
     *
     * @throws SteleException UNAVAILABLE if the client has gone, or receives nothing for too long
     */
    void send(T message) {
        awaitReady();
        observer.onNext(message);
    }

    /** Whether the client can receive a message now. */
    boolean isReady() {
        return observer.isReady();
    }

    /**
     * Waits for a message that is to be sent, or for the permission to make one.
     *
     * @param giveUp ends the wait when the client has gone; any thread, perhaps more than once
     * @throws SteleException the failure of the future
     */
    <R> R await(CompletableFuture<R> future, Runnable giveUp) {
        if (!future.isDone()) {
            whenCancelled = giveUp;
            if (observer.isCancelled()) {
                giveUp.run();
            }
        }
        try {
            return Blocking.await(future);
        } finally {
            whenCancelled = null;
        }
    }

    /** Runs when the client has gone, or at once if it has; any thread, perhaps more than once. */
    void onCancel(Runnable giveUp) {
        whenGone = giveUp;
        if (observer.isCancelled()) {
            giveUp.run();
        }
    }

    boolean isCancelled() {
        return observer.isCancelled();
    }

    void complete() {
        observer.onCompleted();
    }

    void fail(Throwable failure) {
        observer.onError(failure);
    }

    private void awaitReady() {
        if (observer.isReady() && !observer.isCancelled()) {
            return;
        }
        lock.lock();
        try {
            long remaining = stallTimeoutNanos;
            while (!observer.isReady() || observer.isCancelled()) {
                if (observer.isCancelled()) {
                    throw new SteleException(
                            ErrorCode.UNAVAILABLE, "The client has cancelled the call");
                }
                if (remaining <= 0) {
                    throw new SteleException(
                            ErrorCode.UNAVAILABLE,
                            "The client has taken nothing for "
                                    + TimeUnit.NANOSECONDS.toSeconds(stallTimeoutNanos)
                                    + " s (stele.flight.stalled-stream-timeout)");
                }
                remaining = changed.awaitNanos(remaining);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SteleException(ErrorCode.UNAVAILABLE, "The sidecar is shutting down", e);
        } finally {
            lock.unlock();
        }
    }

    private void cancelled() {
        Runnable giveUp = whenCancelled;
        if (giveUp != null) {
            giveUp.run();
        }
        Runnable gone = whenGone;
        if (gone != null) {
            gone.run();
        }
        signal();
    }

    private void signal() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
