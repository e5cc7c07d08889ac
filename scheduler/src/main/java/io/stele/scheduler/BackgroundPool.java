package io.stele.scheduler;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Runs long tasks that may block (flush, compaction, collection) on threads of their own, away from
 * the execution contexts.
 *
 * <p>Bounded: a pool that already holds its limit of waiting tasks refuses the next with {@link
 * RejectedExecutionException}; the submitter tries again later, because what asks for background
 * work (a full memtable, too many files) is still there then.
 */
public interface BackgroundPool extends Executor, AutoCloseable {
    /**
     * Queues a task, or throws {@link RejectedExecutionException} when the limit is reached or the
     * pool is closed.
     */
    @Override
    void execute(Runnable task);

    /**
     * Lets the calling task wait for about {@code millis}, less if the pool is closed: for work
     * that must not go too fast.
     */
    void pause(long millis);

    /** What the pool does now. */
    PoolLoad load();

    /** Drops waiting tasks, lets running ones end and waits for them. */
    @Override
    void close();
}
