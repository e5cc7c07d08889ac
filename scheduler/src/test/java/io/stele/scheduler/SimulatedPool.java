package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import io.stele.scheduler.ExecutionContext.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * A pool without threads for simulations: tasks wait until the simulation runs them, one by one, in
 * an order the seed decides.
 *
 * <p>It stands in for the {@link ContextPool}, the {@link BackgroundPool} and the {@link Periodic}
 * of a process, so one thread and one seed drive everything; the same seed gives the same run.
 * Groups and shares mean nothing here: any order is possible. Confined to one thread.
 */
public final class SimulatedPool extends SharelessPool implements BackgroundPool, Periodic {
    private static final int QUANTUM_TASKS = 64; // so that contexts take turns

    private final RandomGenerator random;
    private final List<Runnable> tasks = new ArrayList<>();
    private final List<Runnable> periodic = new ArrayList<>();

    /**
     * @param uncaught called with anything that a task of a context throws
     */
    public SimulatedPool(RandomGenerator random, Consumer<Throwable> uncaught) {
        super(uncaught);
        this.random = requireNonNull(random, "random is null");
    }

    @Override
    public PoolStatus status() {
        return new PoolStatus(1, 0, 0, 0, 0, 0, groupStatuses());
    }

    @Override
    void enqueue(ExecutionContext context) {
        execute(() -> runQuantum(context));
    }

    private void runQuantum(ExecutionContext context) {
        context.begin();
        for (int ran = 0; ran < QUANTUM_TASKS; ran++) {
            if (context.runNext(YieldSignal.NEVER) == Outcome.NOTHING) {
                break;
            }
        }
        if (context.endTurn()) {
            enqueue(context);
        }
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(requireNonNull(task, "task is null"));
    }

    /** Nothing runs but the caller; what has ended is not counted. */
    @Override
    public PoolLoad load() {
        return new PoolLoad(0, tasks.size(), 0);
    }

    /** Does not wait: the simulation advances its clock itself. */
    @Override
    public void pause(long millis) {
        // nothing else runs meanwhile, as on one thread
    }

    @Override
    public AutoCloseable every(long periodMillis, Runnable task) {
        periodic.add(task);
        return () -> periodic.remove(task);
    }

    /** Runs every periodic task once, as if its period had passed. */
    public void tick() {
        List.copyOf(periodic).forEach(Runnable::run);
    }

    /** Runs one waiting task that the seed picks; false when none waits. */
    public boolean runOne() {
        if (tasks.isEmpty()) {
            return false;
        }
        int picked = random.nextInt(tasks.size());
        Runnable task = tasks.get(picked);
        tasks.set(picked, tasks.getLast());
        tasks.removeLast();
        task.run();
        return true;
    }

    /**
     * Runs tasks until none waits.
     *
     * @throws IllegalStateException after {@code limit} tasks: work that creates new work would
     *     never end
     */
    public void runUntilIdle(int limit) {
        for (int ran = 0; ran < limit; ran++) {
            if (!runOne()) {
                return;
            }
        }
        throw new IllegalStateException(
                "Expected the pool to be idle after "
                        + limit
                        + " tasks, found "
                        + tasks.size()
                        + " waiting");
    }

    public int waitingTasks() {
        return tasks.size();
    }

    /** Drops every waiting task, as a crash does. */
    public void drop() {
        tasks.clear();
        periodic.clear();
    }

    @Override
    public void close() {
        drop();
    }
}
