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
 * The order of what happens to a shard: tasks run on its execution context one after the other,
 * and, unless they say otherwise, while the lanes that apply records are at rest. So a task finds
 * what was applied before it, whole, and nothing changes while it looks.
 *
 * <p>A task that finds the lanes at work is a barrier: it waits for them, and all that comes later
 * waits for it (the admin entries of TiKV's parallel apply, and every invariant that rests on "one
 * thing at a time"). What applies records runs beside the lanes, in its turn.
 *
 * <p>{@link #execute}, {@link #submit}, {@link #fence} and {@link #executeBeside} are for any
 * thread; the rest, and what waits, is confined to the context.
 */
public final class ShardContext implements Executor {
    private final ExecutionContext context;
    private final BooleanSupplier atRest;
    private final Runnable onBarrier;
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    /**
     * @param atRest whether no lane is at work; asked on the context
     * @param onBarrier told on the context of each task that has to wait for the lanes, not of
     *     those that wait behind it
     */
    ShardContext(ExecutionContext context, BooleanSupplier atRest, Runnable onBarrier) {
        this.context = requireNonNull(context, "context is null");
        this.atRest = requireNonNull(atRest, "atRest is null");
        this.onBarrier = requireNonNull(onBarrier, "onBarrier is null");
    }

    private record Waiting(Runnable task, boolean alone) {}

    /** Runs a task in its turn, while the lanes are at rest. */
    @Override
    public void execute(Runnable task) {
        requireNonNull(task, "task is null");
        context.execute(() -> admit(new Waiting(task, true)));
    }

    /**
     * Runs a task in its turn, while the lanes are at rest, and returns its outcome; the future
     * fails if the task is dropped.
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

    /** Runs a task in its turn, whatever the lanes do. */
    void executeBeside(Runnable task) {
        context.execute(() -> admit(new Waiting(task, false)));
    }

    /** Runs a task at once when the lanes are at rest, before all that waits. */
    void executeNext(Runnable task) {
        onBarrier.run();
        waiting.addFirst(new Waiting(task, true));
    }

    /** Runs what a lane has to tell, before all that waits. Any thread. */
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
     * Goes on with what waits, if it can: one task now, the others in turns of their own. To be
     * called whenever the lanes come to rest.
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
