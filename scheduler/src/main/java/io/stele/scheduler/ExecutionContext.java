package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A long-lived serial task queue (a user-space thread; Hologres, section 4.2) for shards and
 * queries. Its tasks run one at a time, in the order of submission, on the worker that its pool
 * assigns.
 *
 * <p>State that only tasks of one context access needs no lock: each task happens before the next.
 * Tasks must not block; a {@link BlockingPool} runs blocking calls.
 *
 * <p>Invariant: at most one thread runs tasks of this context at any moment. Invariant: while the
 * context is IDLE, no task waits in it; it is SCHEDULED in exactly one place; each task either runs
 * to its end once or is cancelled, never both.
 *
 * <p>Thread-safe: every public method may be called from any thread.
 */
public final class ExecutionContext extends TaskQueue implements Executor {
    /*
     * IDLE -> SCHEDULED (the submitter) -> RUNNING -> SCHEDULED | IDLE | DONE (the worker).
     *
     * No wake-up is lost: a submitter pushes its task and then reads the state; the worker sets
     * IDLE and then reads the submission stack. Both are sequentially consistent, so at least one
     * of them sees the other's write, and the compare-and-set from IDLE lets exactly one of them
     * continue.
     *
     * The thread that takes a context out of IDLE owns the worker fields below until it passes the
     * context on through an inbox.
     */
    private static final int IDLE = 0;
    private static final int SCHEDULED = 1;
    private static final int RUNNING = 2;
    private static final int DONE = 3;

    private static final VarHandle STATE;

    static {
        try {
            STATE =
                    MethodHandles.lookup()
                            .findVarHandle(ExecutionContext.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The outcome of {@link #runNext}. */
    enum Outcome {
        /** No task waited. */
        NOTHING,
        /** A task ran to its end. */
        RAN,
        /** A work unit did a step and has more steps. */
        UNFINISHED
    }

    private final String name;
    private final SchedulingGroup group;
    private final int share;
    private final ContextDispatcher dispatcher;
    private volatile int state = IDLE;
    private @Nullable Thread runner; // of the present turn; a thread compares it only with itself

    // Owned by the worker of the context; see above.
    @Nullable Worker worker;
    @Nullable ExecutionContext nextInInbox;
    long virtualRuntime;
    long queueSequence;
    int queueIndex = -1; // -1: not in a run queue

    ExecutionContext(String name, SchedulingGroup group, int share, ContextDispatcher dispatcher) {
        this.name = requireNonNull(name, "name is null");
        this.group = requireNonNull(group, "group is null");
        this.dispatcher = requireNonNull(dispatcher, "dispatcher is null");
        if (share < 1 || share > SchedulingGroup.MAX_SHARES) {
            throw new IllegalArgumentException(
                    "share must be 1 to " + SchedulingGroup.MAX_SHARES + ", found " + share);
        }
        if (group.isParent()) {
            throw new IllegalArgumentException(
                    "Expected a group without nested groups for context %s, found %s"
                            .formatted(name, group));
        }
        this.share = share;
    }

    public String name() {
        return name;
    }

    public SchedulingGroup group() {
        return group;
    }

    /** The weight of this context among the contexts of its group. */
    int share() {
        return share;
    }

    /**
     * Queues a task. A cancelled or joined context drops it silently; a cancellation also drops
     * waiting tasks.
     */
    @Override
    public void execute(Runnable task) {
        enqueue(new Tasks.Plain(requireNonNull(task, "task is null")));
    }

    /** Queues a task and returns its outcome; the future is cancelled when the task is dropped. */
    public <T extends @Nullable Object> CompletableFuture<T> submit(Callable<T> task) {
        Tasks.WithResult<T> withResult =
                new Tasks.WithResult<>(requireNonNull(task, "task is null"), name);
        enqueue(withResult);
        return withResult.result;
    }

    /**
     * Queues work that runs in steps. The unit is notified if it is cancelled: at once, if the
     * context does not accept work any more.
     */
    public void start(WorkUnit unit) {
        enqueue(new Tasks.Stepwise(requireNonNull(unit, "unit is null")));
    }

    /** Completes when every task submitted before this call has run; later ones may follow. */
    public CompletableFuture<@Nullable Void> fence() {
        return this.<@Nullable Void>submit(() -> null);
    }

    /**
     * Refuses new tasks from now on; the future completes when the last accepted task has run, or
     * was dropped by {@link #cancel}.
     */
    public CompletableFuture<@Nullable Void> join() {
        End end = close();
        wake();
        return end.reached.copy();
    }

    /**
     * Refuses new tasks and drops waiting ones (their futures fail as cancelled); the running task,
     * if any, ends by itself, a work unit after its step.
     *
     * @return completes when the last task has ended
     */
    public CompletableFuture<@Nullable Void> cancel() {
        End end = close();
        end.cancelling = true;
        wake();
        return end.reached.copy();
    }

    /** Whether the calling thread is running tasks of this context now. */
    public boolean isCurrent() {
        return runner == Thread.currentThread();
    }

    @Override
    public String toString() {
        return "ExecutionContext[" + name + "]";
    }

    private void enqueue(Task task) {
        if (isCurrent()) {
            if (!append(task)) {
                task.cancelled();
            }
        } else if (push(task)) {
            wake();
        } else {
            task.cancelled();
        }
    }

    private void wake() {
        if (state == IDLE && STATE.compareAndSet(this, IDLE, SCHEDULED)) {
            group.enter(share);
            dispatcher.runnable(this);
        }
    }

    // ---- for the thread that runs the context

    /** Begins a turn, which the caller's thread runs. */
    void begin() {
        if (state != SCHEDULED) {
            throw new IllegalStateException(
                    "Expected %s to be scheduled, found state %d".formatted(this, state));
        }
        runner = Thread.currentThread();
        state = RUNNING;
    }

    /** Sets the thread that continues this turn; null: no thread for now. */
    void runOn(@Nullable Thread thread) {
        runner = thread;
    }

    /** Runs the next task, or its next step. Called between {@link #begin} and {@link #endTurn}. */
    Outcome runNext(YieldSignal signal) {
        End end = end();
        if (end != null && end.cancelling) {
            dropAll();
            return Outcome.NOTHING;
        }
        Task task = peek();
        if (task == null) {
            return Outcome.NOTHING;
        }
        boolean finished = true;
        try {
            finished = task.run(signal);
        } catch (Throwable failure) {
            dispatcher.failed(failure);
        }
        if (finished) {
            removeFirst();
            return Outcome.RAN;
        }
        return Outcome.UNFINISHED;
    }

    /** Whether a task waits; only the owner may call it. */
    boolean hasTasks() {
        return peek() != null;
    }

    /**
     * Ends the context's turn.
     *
     * @return true if it has more tasks, so that the caller must queue it again
     */
    boolean endTurn() {
        runner = null;
        if (hasTasks()) {
            state = SCHEDULED;
            return true;
        }
        group.leave(share);
        End end = end();
        if (end != null) {
            finish(end);
            return false;
        }
        state = IDLE;
        if (hasSubmitted() && STATE.compareAndSet(this, IDLE, SCHEDULED)) {
            group.enter(share);
            return true;
        }
        return false;
    }

    private void finish(End end) {
        state = DONE;
        end.reached.complete(null);
    }

    private void dropAll() {
        for (Task task = peek(); task != null; task = peek()) {
            removeFirst();
            try {
                task.cancelled();
            } catch (Throwable failure) {
                dispatcher.failed(failure);
            }
        }
    }
}
