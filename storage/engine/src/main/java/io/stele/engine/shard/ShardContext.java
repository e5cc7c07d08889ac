package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.scheduler.ExecutionContext;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The executor of a shard's tasks, which runs them one after the other and, with one exception,
 * while the apply workers are idle. So a task sees all records before it as applied whole, and
 * nothing changes while it runs.
 *
 * <p>A task that finds the workers busy is a barrier: it waits for them, and all later tasks wait
 * for it, as with the admin entries of TiKV's parallel apply. Every invariant that needs one task
 * at a time rests on this. The exception is tasks that apply records: they run in their turn while
 * the workers are busy ({@link #executeBeside}).
 *
 * <p>{@link #execute}, {@link #submit}, {@link #fence} and {@link #executeBeside} are for any
 * thread; the rest, and the waiting tasks, are confined to the context.
 */
public final class ShardContext implements Executor {
    private final ExecutionContext context;
    private final BooleanSupplier atRest;
    private final Runnable onBarrier;
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    /**
     * @param atRest whether no apply worker is busy; called on the context
     * @param onBarrier called on the context for each task that must wait for the workers, not for
     *     the tasks behind it
     */
    ShardContext(ExecutionContext context, BooleanSupplier atRest, Runnable onBarrier) {
        this.context = requireNonNull(context, "context is null");
        this.atRest = requireNonNull(atRest, "atRest is null");
        this.onBarrier = requireNonNull(onBarrier, "onBarrier is null");
    }

    private record Waiting(Runnable task, boolean alone) {}

    /** Runs a task in its turn, while the apply workers are idle. */
    @Override
    public void execute(Runnable task) {
        requireNonNull(task, "task is null");
        context.execute(() -> admit(new Waiting(task, true)));
    }

    /**
     * Runs a task in its turn, while the apply workers are idle, and returns its outcome; the
     * future fails if the task is dropped.
     */
    public <T extends @Nullable Object> CompletableFuture<T> submit(Callable<T> task) {
        requireNonNull(task, "task is null");
        CompletableFuture<T> result = new CompletableFuture<>();
        context.submit(
                        () -> {
                            admit(new Waiting(() -> run(task, result), true));
                            return true;
                        })
                .whenComplete(
                        (admitted, dropped) -> {
                            if (dropped != null) {
                                result.completeExceptionally(dropped);
                            }
                        });
        return result;
    }

    private static <T extends @Nullable Object> void run(
            Callable<T> task, CompletableFuture<T> result) {
        T value;
        try {
            value = task.call();
        } catch (Throwable failure) {
            result.completeExceptionally(failure);
            return;
        }
        result.complete(value);
    }

    /** Completes when every task given before this call has run; later ones may follow. */
    public CompletableFuture<@Nullable Void> fence() {
        return this.<@Nullable Void>submit(() -> null);
    }

    /** Runs a task in its turn, even while the apply workers are busy. */
    void executeBeside(Runnable task) {
        context.execute(() -> admit(new Waiting(task, false)));
    }

    /** Runs a task as soon as the apply workers are idle, before all waiting tasks. */
    void executeNext(Runnable task) {
        onBarrier.run();
        waiting.addFirst(new Waiting(task, true));
    }

    /** Runs the report of an apply worker at once, before all waiting tasks. Any thread. */
    void report(Runnable task) {
        context.execute(task);
    }

    private void admit(Waiting task) {
        if (!waiting.isEmpty()) {
            waiting.add(task);
        } else if (task.alone && !atRest.getAsBoolean()) {
            onBarrier.run();
            waiting.add(task);
        } else {
            task.task.run();
        }
    }

    /**
     * Runs the first waiting task, if it can run now; the other tasks follow in turns of their own.
     * Call it whenever the apply workers become idle.
     */
    void proceed() {
        Waiting head = waiting.peek();
        if (head == null || (head.alone && !atRest.getAsBoolean())) {
            return;
        }
        waiting.remove();
        try {
            head.task.run();
        } finally {
            if (!waiting.isEmpty()) {
                context.execute(this::proceed);
            }
        }
    }
}
