package io.stele.engine.shard.maintenance;

import static java.util.Objects.requireNonNull;

import io.stele.engine.job.Progress;
import io.stele.protocol.SteleException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The callers that wait for one kind of background work on a table, each through a limited number
 * of failures. Confined to the shard's context, on which the futures complete.
 */
final class MaintenanceWaiters {
    /** With the pauses in between, a store may be away for seven seconds. */
    static final int MAX_FAILURES = 5;

    private final List<Waiter> waiters = new ArrayList<>();

    /**
     * Adds a waiter.
     *
     * @param progress shows the waiter how far the work is, and cancels the wait
     */
    CompletableFuture<@Nullable Void> add(Progress progress) {
        Waiter added = new Waiter(progress);
        waiters.add(added);
        return added.done;
    }

    boolean isEmpty() {
        return waiters.isEmpty();
    }

    /** The work is done. */
    void complete() {
        take().forEach(waiter -> waiter.done.complete(null));
    }

    /** The work will never be done. */
    void fail(SteleException cause) {
        take().forEach(waiter -> waiter.done.completeExceptionally(cause));
    }

    /**
     * The work failed once; it is tried again.
     *
     * @param hopeless whether no attempt is likely to succeed: then all waits end
     */
    void failed(SteleException refusal, boolean hopeless) {
        for (Waiter waiter : take()) {
            waiter.failures++;
            if (hopeless || waiter.failures >= MAX_FAILURES) {
                waiter.done.completeExceptionally(refusal);
            } else {
                waiters.add(waiter);
            }
        }
    }

    /** Ends the wait of the caller with this progress. */
    void cancel(Progress progress) {
        for (Waiter waiter : take()) {
            if (waiter.progress == progress) {
                waiter.done.completeExceptionally(Progress.refusal());
            } else {
                waiters.add(waiter);
            }
        }
    }

    /** Work of this many bytes begins. */
    List<Progress.Part> begin(long bytes) {
        return waiters.stream().map(waiter -> waiter.progress.begin(bytes)).toList();
    }

    // Taken before they are notified, because a notified caller may wait again at once.
    private List<Waiter> take() {
        List<Waiter> taken = List.copyOf(waiters);
        waiters.clear();
        return taken;
    }

    private static final class Waiter {
        private final Progress progress;
        private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        private int failures;

        private Waiter(Progress progress) {
            this.progress = requireNonNull(progress, "progress is null");
        }
    }
}
