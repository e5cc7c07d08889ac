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
 * @param background runs short tasks that may wait: manifests, decisions, writes that waited for
 *     memory
 * @param flushing runs flushes, apart from the short tasks that make them count
 * @param merging runs compactions, apart from the flushes that free memory
 * @param lookups runs reads of files that writes wait for; takes every task
 * @param periodic calls the engine's tick
 * @param logThread makes the thread of the log; empty: the log is written by tasks on {@code
 *     contexts}, as simulations need it
 * @param uncaught told of what no future carries
 */
public record EngineThreads(
        Executor contexts,
        BackgroundPool background,
        BackgroundPool flushing,
        BackgroundPool merging,
        Executor lookups,
        Periodic periodic,
        Optional<ThreadFactory> logThread,
        Consumer<Throwable> uncaught)
        implements AutoCloseable {
    private static final int BACKGROUND_WAITING_LIMIT =
            4096; // tasks are a few references; a shard has at most a handful

    private static final int SHORT_TASK_THREADS = 2; // they wait for the store, not for cores

    private static final int LOOKUP_THREADS = 4; // they wait for files more than they compute

    public EngineThreads {
        requireNonNull(contexts, "contexts is null");
        requireNonNull(background, "background is null");
        requireNonNull(flushing, "flushing is null");
        requireNonNull(merging, "merging is null");
        requireNonNull(lookups, "lookups is null");
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
        return start(contextThreads, backgroundThreads, factory, factory, uncaught);
    }

    /**
     * As the other, with threads of their own kind for flushes and compactions.
     *
     * @param backgroundThreads for flushes, and half as many for compactions: those hold more
     *     memory and can wait
     */
    public static EngineThreads start(
            int contextThreads,
            int backgroundThreads,
            ThreadFactory factory,
            ThreadFactory backgroundFactory,
            Consumer<Throwable> uncaught) {
        return new EngineThreads(
                new WorkerPool(contextThreads, factory, uncaught),
                pool(SHORT_TASK_THREADS, factory, uncaught),
                pool(backgroundThreads, backgroundFactory, uncaught),
                pool(Math.max(1, backgroundThreads / 2), backgroundFactory, uncaught),
                new WorkerPool(LOOKUP_THREADS, factory, uncaught),
                new ThreadedPeriodic(factory, uncaught),
                Optional.of(factory),
                uncaught);
    }

    private static BackgroundPool pool(
            int threads, ThreadFactory factory, Consumer<Throwable> uncaught) {
        return new ThreadedBackgroundPool(threads, BACKGROUND_WAITING_LIMIT, factory, uncaught);
    }

    /** Everything on the one thread that drives the pool. */
    public static EngineThreads simulated(SimulatedPool pool, Consumer<Throwable> uncaught) {
        return new EngineThreads(pool, pool, pool, pool, pool, pool, Optional.empty(), uncaught);
    }

    /** Ends the pools, background work first; call it after closing the engine. */
    @Override
    public void close() {
        flushing.close();
        merging.close();
        background.close();
        if (lookups instanceof WorkerPool workers) {
            workers.close();
        }
        if (contexts instanceof WorkerPool workers) {
            workers.close();
        }
    }
}
