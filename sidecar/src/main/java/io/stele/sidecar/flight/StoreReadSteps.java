package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.cache.ReadAccount;
import io.stele.scheduler.fragment.Edge;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A runner of the steps of a fragment that wait for the store, in the pool of reads, so that the
 * fragment's context is free meanwhile. The reader belongs to the context, or during a step to that
 * pool. A {@link #close} during a step takes effect when the step ends.
 */
final class StoreReadSteps {
    private final Executor storeReads;
    private final Closeable read;
    private @Nullable Edge<?> edge; // set before the first pull

    private final Object lock = new Object();

    @GuardedBy("lock")
    private boolean away;

    @GuardedBy("lock")
    private boolean closed;

    private @Nullable Throwable failure; // written where the reading is

    /** A step that waits for the store; it leaves its result with the fragment. */
    @FunctionalInterface
    interface Trip {
        void run() throws IOException;
    }

    /**
     * @param storeReads runs steps that wait for the store; throws to refuse
     * @param read closed once, after the last read; its exceptions are ignored, since nothing was
     *     written, and all wanted data has been read
     */
    StoreReadSteps(Executor storeReads, Closeable read) {
        this.storeReads = requireNonNull(storeReads, "storeReads is null");
        this.read = requireNonNull(read, "read is null");
    }

    /** Sets the fragment's edge, which is resumed when a step ends. */
    void returnTo(Edge<?> fragment) {
        edge = fragment;
    }

    /** Throws the failure of the last trip. */
    void check() throws Exception {
        Throwable failed = failure;
        if (failed != null) {
            switch (failed) {
                case Exception exception -> throw exception;
                case Error error -> throw error;
                default -> throw new IllegalStateException(failed);
            }
        }
    }

    /**
     * Starts a step, in the account of the present thread. The fragment returns that it waits, and
     * touches nothing until it is resumed.
     */
    void begin(Trip trip) {
        synchronized (lock) {
            away = true;
        }
        try {
            storeReads.execute(ReadAccount.carry(() -> run(trip)));
        } catch (RuntimeException refused) {
            failure = refused;
            comeBack();
        }
    }

    /** Resumes the fragment when another future completes, also if it fails. */
    void resumeAfter(CompletableFuture<?> other) {
        Edge<?> waiting = requireNonNull(edge, "edge is null");
        other.whenComplete((result, failed) -> waiting.resume());
    }

    private void run(Trip trip) {
        try {
            trip.run();
        } catch (Exception | Error failed) {
            failure = failed;
        }
        comeBack();
    }

    private void comeBack() {
        boolean nobodyWants;
        synchronized (lock) {
            away = false;
            nobodyWants = closed;
        }
        if (nobodyWants) {
            closeRead();
        } else {
            requireNonNull(edge, "edge is null").resume();
        }
    }

    /** The fragment has ended. */
    void close() {
        synchronized (lock) {
            closed = true;
            if (away) {
                return; // the running step closes it
            }
        }
        closeRead();
    }

    private void closeRead() {
        try {
            read.close();
        } catch (IOException unread) {
            // Nothing was written, and all that was wanted has been read.
        }
    }
}
