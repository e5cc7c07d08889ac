package io.stele.engine.node;

import static java.util.Objects.requireNonNull;

import io.stele.scheduler.BackgroundPool;
import io.stele.scheduler.BlockingPool;
import io.stele.scheduler.ContextPool;
import io.stele.scheduler.FairPoolOptions;
import io.stele.scheduler.Periodic;
import io.stele.scheduler.PoolLoad;
import io.stele.scheduler.SchedulingGroup;
import io.stele.scheduler.ThreadedBackgroundPool;
import io.stele.scheduler.ThreadedFairPool;
import io.stele.scheduler.ThreadedPeriodic;
import io.stele.scheduler.Urgency;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The thread pools and executors that run the work of a storage engine, one for each kind of work.
 * The engine starts no thread by itself. Closing this closes the pools.
 *
 * @param contexts pool of the execution contexts of the shards, and of any other contexts of the
 *     process
 * @param dataBound scheduling group of the shards' contexts, with enough shares that queries do not
 *     delay writes (Hologres, section 4.5)
 * @param background pool of short tasks that wait at most for the object store: manifest writes,
 *     and writes that waited for memory
 * @param catalog pool of the engine's own catalog statements, which wait for each other, for
 *     statements of clients and for the store
 * @param deciding pool of the decisions of transactions; no other task that something may wait for
 *     is queued before them
 * @param deleting pool of deletions of obsolete log data, files and transaction decisions
 * @param flushing pool of flushes, separate from the short tasks that publish their results
 * @param merging pool of compactions, separate from the flushes that free memory
 * @param loading executor of bulk loads: their files are written, and their keys checked, beside
 *     the threads of their clients; its threads bound the files that are open at a time; in
 *     simulations each task runs at once on the caller's thread
 * @param lookups executor of file reads for which writes and commits wait; accepts every task
 * @param opening executor of the store reads of a start, many at a time; accepts every task; in
 *     simulations each task runs at once on the caller's thread
 * @param periodic timer of the engine's tick
 * @param logThread factory of the thread of the log; empty: tasks on {@code contexts} write the
 *     log, as simulations need it
 * @param nanoTime clock that measures the time that caches save; no decision depends on it
 * @param uncaught handler of exceptions that no future carries
 */
public record EngineThreads(
        ContextPool contexts,
        SchedulingGroup dataBound,
        BackgroundPool background,
        BackgroundPool catalog,
        BackgroundPool deciding,
        BackgroundPool deleting,
        BackgroundPool flushing,
        BackgroundPool merging,
        Executor loading,
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

    private static final int CATALOG_THREADS = 1; // one statement runs at a time

    private static final int DECISION_THREADS = 4; // each waits for one object to be created

    private static final int DELETION_THREADS = 4; // each waits for the store

    private static final int LOOKUP_THREADS =
            16; // threads live while there is work, and mostly wait for files

    private static final int OPENING_THREADS =
            64; // threads live while an engine starts, and wait for the store

    private static final int LOOKUP_WAITING_LIMIT =
            1 << 20; // each shard requests at most about twenty batches at a time

    private static final int DATA_BOUND_SHARES =
            SchedulingGroup.MAX_SHARES; // the shares of ten queries, regardless of their groups

    public EngineThreads {
        requireNonNull(contexts, "contexts is null");
        requireNonNull(dataBound, "dataBound is null");
        requireNonNull(background, "background is null");
        requireNonNull(catalog, "catalog is null");
        requireNonNull(deciding, "deciding is null");
        requireNonNull(deleting, "deleting is null");
        requireNonNull(flushing, "flushing is null");
        requireNonNull(merging, "merging is null");
        requireNonNull(loading, "loading is null");
        requireNonNull(lookups, "lookups is null");
        requireNonNull(opening, "opening is null");
        requireNonNull(periodic, "periodic is null");
        requireNonNull(logThread, "logThread is null");
        requireNonNull(nanoTime, "nanoTime is null");
        requireNonNull(uncaught, "uncaught is null");
    }

    /**
     * Starts pools of real threads, which {@link #close} ends.
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
     * As the other overload, with a separate thread factory for flushes and compactions.
     *
     * @param backgroundThreads the number of threads for flushes. Bulk loads get as many, and
     *     compactions half as many, since they hold more memory and can wait
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

    /** As the other overload, with contexts on the caller's pool, which {@link #close} ends too. */
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
                pool(CATALOG_THREADS, factory, uncaught),
                pool(DECISION_THREADS, factory, uncaught),
                pool(DELETION_THREADS, factory, uncaught),
                pool(backgroundThreads, backgroundFactory, uncaught),
                pool(Math.max(1, backgroundThreads / 2), backgroundFactory, uncaught),
                // What waits is bounded by the memory for writes, and by the transactions
                new BlockingPool(backgroundThreads, Integer.MAX_VALUE, backgroundFactory, uncaught),
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

    /** Threads for simulations: all work runs on the one thread that drives the pool. */
    public static <P extends ContextPool & BackgroundPool & Periodic> EngineThreads simulated(
            P pool, Consumer<Throwable> uncaught) {
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
     * The executor that opens files once the engine serves: {@link #opening}, or {@link #lookups}
     * in simulations, where {@link #opening} would run tasks at once.
     */
    public Executor openingLater() {
        return opening instanceof BlockingPool ? opening : lookups;
    }

    /** The present status of the threads. */
    public ThreadsStatus status() {
        return new ThreadsStatus(
                contexts.status(),
                background.load(),
                catalog.load(),
                deciding.load(),
                deleting.load(),
                flushing.load(),
                merging.load(),
                load(loading),
                load(lookups));
    }

    private static PoolLoad load(Executor executor) {
        return executor instanceof BlockingPool calls ? calls.load() : new PoolLoad(0, 0, 0);
    }

    /** Ends the pools, background work first; call it after closing the engine. */
    @Override
    public void close() {
        close(loading); // its tasks commit transactions on the contexts
        flushing.close();
        merging.close();
        background.close();
        catalog.close();
        deciding.close();
        deleting.close();
        contexts.close();
        close(lookups);
        close(opening);
    }

    private static void close(Executor executor) {
        if (executor instanceof BlockingPool calls) {
            calls.close();
        }
    }
}
