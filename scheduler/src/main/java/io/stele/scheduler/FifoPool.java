package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import io.stele.scheduler.ExecutionContext.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A plain thread pool in the place of a {@link ThreadedFairPool}: contexts that have something to
 * do wait in one queue, first come, first served, and none is ever asked to give its thread back.
 *
 * <p>What fair scheduling is measured against; shares and urgencies mean nothing here. Guarded by
 * its own lock.
 */
public final class FifoPool implements ContextPool {
    private static final long AVERAGE_NANOS = 1_000_000; // of shares, which nobody asks for

    private final Object lock = new Object();
    private final ArrayDeque<ExecutionContext> queue = new ArrayDeque<>(); // guarded by lock
    private final CopyOnWriteArrayList<SchedulingGroup> groups = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final LongSupplier nanoTime;
    private final Consumer<Throwable> uncaught;
    private int idle; // guarded by lock
    private boolean closed; // guarded by lock

    private final ContextDispatcher dispatcher =
            new ContextDispatcher() {
                @Override
                public void runnable(ExecutionContext context) {
                    enqueue(context);
                }

                @Override
                public void failed(Throwable failure) {
                    uncaught.accept(failure);
                }
            };

    /**
     * @param nanoTime the clock of this machine, such as {@code System::nanoTime}
     * @param uncaught told of anything a task throws; the thread goes on
     */
    public FifoPool(
            int workers,
            LongSupplier nanoTime,
            ThreadFactory threadFactory,
            Consumer<Throwable> uncaught) {
        if (workers < 1) {
            throw new IllegalArgumentException("workers must be at least 1, found " + workers);
        }
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.uncaught = requireNonNull(uncaught, "uncaught is null");
        for (int i = 0; i < workers; i++) {
            threads.add(threadFactory.newThread(this::work));
        }
        threads.forEach(Thread::start);
    }

    @Override
    public SchedulingGroup createGroup(String name, int shares, Urgency urgency) {
        SchedulingGroup group = new SchedulingGroup(name, shares, urgency, AVERAGE_NANOS);
        groups.add(group);
        return group;
    }

    @Override
    public void removeGroup(SchedulingGroup group) {
        groups.remove(group);
    }

    @Override
    public ExecutionContext createContext(String name, SchedulingGroup group, int share) {
        return new ExecutionContext(name, group, share, dispatcher);
    }

    /** False: whatever comes goes through the queue. */
    @Override
    public boolean hasIdleWorkers() {
        return false;
    }

    @Override
    public PoolStatus status() {
        List<GroupStatus> statuses = groups.stream().map(group -> group.status(0)).toList();
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

    private void enqueue(ExecutionContext context) {
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
