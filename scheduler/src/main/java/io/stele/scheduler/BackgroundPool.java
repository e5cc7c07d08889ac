package io.stele.scheduler;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * A bounded executor of long tasks that may block (flush, compaction, file collection), on threads
 * of its own, away from the execution contexts.
 *
 * <p>Bounded: a pool with its limit of waiting tasks refuses the next one with {@link
 * RejectedExecutionException}. The submitter tries again later, because the cause of background
 * work (a full memtable, too many files) still exists then.
 */
public interface BackgroundPool extends Executor, AutoCloseable {
    /**
     * Queues a task, or throws {@link RejectedExecutionException} when the limit is reached or the
     * pool is closed.
     */
    @Override
    void execute(Runnable task);

    /**
     * Blocks the calling task for about {@code millis} milliseconds, or less if the pool is closed.
     * For rate-limited work.
     */
    void pause(long millis);

    /** The present load of the pool. */
    PoolLoad load();

    /** Drops waiting tasks and waits for running ones to end. */
    @Override
    void close();
}
