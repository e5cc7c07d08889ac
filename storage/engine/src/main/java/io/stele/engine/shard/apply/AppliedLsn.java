package io.stele.engine.shard.apply;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The applied LSN of a shard, with the futures of callers that wait for it to advance.
 *
 * <p>Invariant: never decreases. Thread-safe: guarded by itself. Futures complete outside the lock,
 * on the thread that advances.
 */
public final class AppliedLsn {
    private final PriorityQueue<Waiter> waiters =
            new PriorityQueue<>(Comparator.comparing(Waiter::lsn));
    private volatile Lsn applied = Lsn.MIN;

    @GuardedBy("this")
    private @Nullable SteleException failure;

    public Lsn applied() {
        return applied;
    }

    /**
     * Completes when every record at or below {@code lsn} is applied, or fails when the shard does.
     */
    public CompletableFuture<@Nullable Void> await(Lsn lsn) {
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        synchronized (this) {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (applied.compareTo(lsn) < 0) {
                waiters.add(new Waiter(lsn, result));
                return result;
            }
        }
        result.complete(null); // no effect after the failure
        return result;
    }

    public void advance(Lsn lsn) {
        List<Waiter> reached = new ArrayList<>();
        synchronized (this) {
            if (applied.compareTo(lsn) >= 0) {
                return;
            }
            applied = lsn;
            while (!waiters.isEmpty() && waiters.peek().lsn().compareTo(lsn) <= 0) {
                reached.add(waiters.poll());
            }
        }
        reached.forEach(waiter -> waiter.result().complete(null));
    }

    /** Nothing more will be applied: present and later waiters fail. */
    public void fail(SteleException cause) {
        List<Waiter> left;
        synchronized (this) {
            failure = cause;
            left = new ArrayList<>(waiters);
            waiters.clear();
        }
        left.forEach(waiter -> waiter.result().completeExceptionally(cause));
    }

    private record Waiter(Lsn lsn, CompletableFuture<@Nullable Void> result) {}
}
