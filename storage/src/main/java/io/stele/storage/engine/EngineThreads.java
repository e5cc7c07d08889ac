package io.stele.storage.engine;

import static java.util.Objects.requireNonNull;

import io.stele.scheduler.BackgroundPool;
import io.stele.scheduler.BlockingPool;
import io.stele.scheduler.ContextPool;
import io.stele.scheduler.FairPoolOptions;
import io.stele.scheduler.Periodic;
import io.stele.scheduler.PoolLoad;
import io.stele.scheduler.SchedulingGroup;
import io.stele.scheduler.SimulatedPool;
import io.stele.scheduler.ThreadedBackgroundPool;
import io.stele.scheduler.ThreadedFairPool;
import io.stele.scheduler.ThreadedPeriodic;
import io.stele.scheduler.Urgency;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Whatever runs an engine's work; the engine starts no thread by itself.
 *
 * @param contexts runs the execution contexts: those of the shards, and whatever else the process
 *     wants to have scheduled beside them
 * @param dataBound the group of the shards' contexts; with shares enough that what queries do does
 *     not hold up writes (Hologres, section 4.5)
 * @param background runs short tasks that wait for the store and for nothing else: manifests, and
 *     writes that waited for memory, which wait for nothing
 * @param deciding decides transactions, and nothing that others may wait for is before them
 * @param deleting deletes what nobody needs any more: of the log, of files, of decisions
 * @param flushing runs flushes, apart from the short tasks that make them count
 * @param merging runs compactions, apart from the flushes that free memory
 * @param lookups runs reads of files that writes and commits wait for; takes every task
 * @param opening runs what a start reads of the store for, many reads at a time, and takes every
 *     task; in simulations each at once, by who asks
 * @param periodic calls the engine's tick
 * @param logThread makes the thread of the log; empty: the log is written by tasks on {@code
 *     contexts}, as simulations need it
 * @param nanoTime measures what caches save, which decides nothing
 * @param uncaught told of what no future carries
 */
public record EngineThreads(
        ContextPool contexts,
        SchedulingGroup dataBound,
        BackgroundPool background,
        BackgroundPool deciding,
        BackgroundPool deleting,
        BackgroundPool flushing,
        BackgroundPool merging,
        Executor lookups,
        Executor opening,
        Periodic periodic,
        Optional<ThreadFactory> logThread,
        LongSupplier nanoTime,
        Consumer<Throwable> uncaught)
        implements AutoCloseable {
    private static final int BACKGROUND_WAITING_LIMIT =
            4096; // tasks are a few references; a shard has at most a handful

    private static final int SHORT_TASK_THREADS = 2; // they wait for the store, not for cores

    private static final int DECISION_THREADS = 4; // each waits for one object to be created

    private static final int DELETION_THREADS = 4; // each waits for the store

    private static final int LOOKUP_THREADS =
            16; // they live while there is work, and wait for files more than they compute

    private static final int OPENING_THREADS =
            64; // they live while an engine starts, and wait for the store

    private static final int LOOKUP_WAITING_LIMIT =
            1 << 20; // each shard asks for at most a score of batches at a time

    private static final int DATA_BOUND_SHARES =
            SchedulingGroup.MAX_SHARES; // ten queries' worth, whatever they are

    public EngineThreads {
        requireNonNull(contexts, "contexts is null");
        requireNonNull(dataBound, "dataBound is null");
        requireNonNull(background, "background is null");
        requireNonNull(deciding, "deciding is null");
        requireNonNull(deleting, "deleting is null");
        requireNonNull(flushing, "flushing is null");
        requireNonNull(merging, "merging is null");
        requireNonNull(lookups, "lookups is null");
        requireNonNull(opening, "opening is null");
        requireNonNull(periodic, "periodic is null");
        requireNonNull(logThread, "logThread is null");
        requireNonNull(nanoTime, "nanoTime is null");
        requireNonNull(uncaught, "uncaught is null");
    }

    /**
     * Pools of real threads; closing this ends them.
     *
     * @param nanoTime the machine's clock, such as {@code System::nanoTime}
     */
    public static EngineThreads start(
            int contextThreads,
            int backgroundThreads,
            LongSupplier nanoTime,
            ThreadFactory factory,
            Consumer<Throwable> uncaught) {
        return start(contextThreads, backgroundThreads, nanoTime, factory, factory, uncaught);
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
            LongSupplier nanoTime,
            ThreadFactory factory,
            ThreadFactory backgroundFactory,
            Consumer<Throwable> uncaught) {
        return start(
                new ThreadedFairPool(
                        FairPoolOptions.of(contextThreads), nanoTime, factory, uncaught),
                backgroundThreads,
                nanoTime,
                factory,
                backgroundFactory,
                uncaught);
    }

    /** As the other, with contexts on a pool of the caller's, which is closed with the others. */
    public static EngineThreads start(
            ContextPool contexts,
            int backgroundThreads,
            LongSupplier nanoTime,
            ThreadFactory factory,
            ThreadFactory backgroundFactory,
            Consumer<Throwable> uncaught) {
        return new EngineThreads(
                contexts,
                dataBound(contexts),
                pool(SHORT_TASK_THREADS, factory, uncaught),
                pool(DECISION_THREADS, factory, uncaught),
                pool(DELETION_THREADS, factory, uncaught),
                pool(backgroundThreads, backgroundFactory, uncaught),
                pool(Math.max(1, backgroundThreads / 2), backgroundFactory, uncaught),
                new BlockingPool(LOOKUP_THREADS, LOOKUP_WAITING_LIMIT, factory, uncaught),
                new BlockingPool(OPENING_THREADS, Integer.MAX_VALUE, factory, uncaught),
                new ThreadedPeriodic(factory, uncaught),
                Optional.of(factory),
                nanoTime,
                uncaught);
    }

    private static BackgroundPool pool(
            int threads, ThreadFactory factory, Consumer<Throwable> uncaught) {
        return new ThreadedBackgroundPool(threads, BACKGROUND_WAITING_LIMIT, factory, uncaught);
    }

    /** Everything on the one thread that drives the pool. */
    public static EngineThreads simulated(SimulatedPool pool, Consumer<Throwable> uncaught) {
        return new EngineThreads(
                pool,
                dataBound(pool),
                pool,
                pool,
                pool,
                pool,
                pool,
                pool,
                Runnable::run,
                pool,
                Optional.empty(),
                () -> 0,
                uncaught);
    }

    private static SchedulingGroup dataBound(ContextPool contexts) {
        return contexts.createGroup("data-bound", DATA_BOUND_SHARES, Urgency.NORMAL);
    }

    /**
     * Opens files when an engine serves, with the threads that its start had; in simulations it is
     * done as lookups are, and not before something else is.
     */
    Executor openingLater() {
        return opening instanceof BlockingPool ? opening : lookups;
    }

    /** What the threads do now. */
    public ThreadsStatus status() {
        return new ThreadsStatus(
                contexts.status(),
                background.load(),
                deciding.load(),
                deleting.load(),
                flushing.load(),
                merging.load(),
                lookups instanceof BlockingPool calls ? calls.load() : new PoolLoad(0, 0, 0));
    }

    /** Ends the pools, background work first; call it after closing the engine. */
    @Override
    public void close() {
        flushing.close();
        merging.close();
        background.close();
        deciding.close();
        deleting.close();
        contexts.close();
        for (Executor reads : List.of(lookups, opening)) {
            if (reads instanceof BlockingPool calls) {
                calls.close();
            }
        }
    }
}
