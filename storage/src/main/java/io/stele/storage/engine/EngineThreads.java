package io.stele.storage.engine;

import static java.util.Objects.requireNonNull;

import io.stele.scheduler.BackgroundPool;
import io.stele.scheduler.Periodic;
import io.stele.scheduler.SimulatedPool;
import io.stele.scheduler.ThreadedBackgroundPool;
import io.stele.scheduler.ThreadedPeriodic;
import io.stele.scheduler.WorkerPool;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/**
 * Whatever runs an engine's work; the engine starts no thread by itself.
 *
 * @param contexts lends threads to the execution contexts of the shards: short tasks that do not
 *     wait
 * @param background runs flushes, compactions and everything that writes to the warehouse
 * @param periodic calls the engine's tick
 * @param logThread makes the thread of the log; empty: the log is written by tasks on {@code
 *     contexts}, as simulations need it
 * @param uncaught told of what no future carries
 */
public record EngineThreads(
        Executor contexts,
        BackgroundPool background,
        Periodic periodic,
        Optional<ThreadFactory> logThread,
        Consumer<Throwable> uncaught)
        implements AutoCloseable {
    private static final int BACKGROUND_WAITING_LIMIT =
            4096; // tasks are a few references; a shard has at most a handful

    public EngineThreads {
        requireNonNull(contexts, "contexts is null");
        requireNonNull(background, "background is null");
        requireNonNull(periodic, "periodic is null");
        requireNonNull(logThread, "logThread is null");
        requireNonNull(uncaught, "uncaught is null");
    }

    /** Pools of real threads; closing this ends them. */
    public static EngineThreads start(
            int contextThreads,
            int backgroundThreads,
            ThreadFactory factory,
            Consumer<Throwable> uncaught) {
        return new EngineThreads(
                new WorkerPool(contextThreads, factory, uncaught),
                new ThreadedBackgroundPool(
                        backgroundThreads, BACKGROUND_WAITING_LIMIT, factory, uncaught),
                new ThreadedPeriodic(factory, uncaught),
                Optional.of(factory),
                uncaught);
    }

    /** Everything on the one thread that drives the pool. */
    public static EngineThreads simulated(SimulatedPool pool, Consumer<Throwable> uncaught) {
        return new EngineThreads(pool, pool, pool, Optional.empty(), uncaught);
    }

    /** Ends the pools, background work first; call it after closing the engine. */
    @Override
    public void close() {
        background.close();
        if (contexts instanceof WorkerPool workers) {
            workers.close();
        }
    }
}
