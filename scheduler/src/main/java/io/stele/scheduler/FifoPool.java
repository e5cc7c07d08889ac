package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.scheduler.ExecutionContext.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A context pool without fairness, an alternative to {@link ThreadedFairPool}: runnable contexts
 * wait in one first-in-first-out queue, and no context is interrupted.
 *
 * <p>It is the baseline of fair scheduling; shares and urgencies have no effect. Guarded by its own
 * lock.
 */
public final class FifoPool extends SharelessPool {
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final ArrayDeque<ExecutionContext> queue = new ArrayDeque<>();

    private final List<Thread> threads = new ArrayList<>();
    private final LongSupplier nanoTime;

    @GuardedBy("lock")
    private int idle;

    @GuardedBy("lock")
    private boolean closed;

    /**
     * @param nanoTime the clock of this machine, such as {@code System::nanoTime}
     * @param uncaught called with every failure of a task; the thread continues
     */
    public FifoPool(
            int workers,
            LongSupplier nanoTime,
            ThreadFactory threadFactory,
            Consumer<Throwable> uncaught) {
        super(uncaught);
        if (workers < 1) {
            throw new IllegalArgumentException("workers must be at least 1, found " + workers);
        }
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        for (int i = 0; i < workers; i++) {
            threads.add(threadFactory.newThread(this::work));
        }
        threads.forEach(Thread::start);
    }

    @Override
    public PoolStatus status() {
        List<GroupStatus> statuses = groupStatuses();
        long switches = statuses.stream().mapToLong(GroupStatus::switches).sum();
        synchronized (lock) {
            return new PoolStatus(threads.size(), idle, switches, 0, 0, 0, statuses);
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            lock.notifyAll();
        }
        Threads.joinAll(threads);
    }

    @Override
    void enqueue(ExecutionContext context) {
        synchronized (lock) {
            queue.add(context);
            lock.notify();
        }
    }

    private void work() {
        for (ExecutionContext context = next(); context != null; context = next()) {
            long start = nanoTime.getAsLong();
            context.begin();
            Outcome outcome = Outcome.UNFINISHED;
            while (outcome == Outcome.UNFINISHED) {
                outcome = context.runNext(YieldSignal.NEVER);
            }
            context.group().used(nanoTime.getAsLong() - start, false);
            context.group().turnEnded();
            if (context.endTurn()) {
                enqueue(context);
            }
        }
    }

    private @Nullable ExecutionContext next() {
        synchronized (lock) {
            while (queue.isEmpty()) {
                if (closed) {
                    return null;
                }
                idle++;
                try {
                    lock.wait();
                } catch (InterruptedException interrupted) {
                    continue; // only close ends a thread
                } finally {
                    idle--;
                }
            }
            return queue.poll();
        }
    }
}
