package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;

/**
 * The read-ahead resources of a store over a network: the balance, the executor and the permits for
 * helper tasks.
 *
 * @param balance of all scans and compactions that read from the store
 * @param executor runs tasks that wait for the store
 * @param helpers permits of tasks that read for a waiting caller: each holds a buffer of half a
 *     MiB, as a rule
 */
public record ReadingAhead(RetrievalBalance balance, Executor executor, Semaphore helpers) {
    /** About as many requests as a store of one service rewards; 128 MiB of buffers. */
    private static final int HELPERS = 256;

    public ReadingAhead {
        requireNonNull(balance, "balance is null");
        requireNonNull(executor, "executor is null");
        requireNonNull(helpers, "helpers is null");
    }

    public ReadingAhead(RetrievalBalance balance, Executor executor) {
        this(balance, executor, new Semaphore(HELPERS));
    }

    /**
     * Runs work, for which a caller waits, on the executor, with a permit.
     *
     * @return false: no thread is available
     */
    public boolean tryHelp(Runnable work) {
        if (!helpers.tryAcquire()) {
            return false;
        }
        boolean begins = false;
        try {
            executor.execute(
                    () -> {
                        try {
                            work.run();
                        } finally {
                            helpers.release();
                        }
                    });
            begins = true;
        } catch (RejectedExecutionException refused) {
            // the caller does it
        } finally {
            if (!begins) {
                helpers.release();
            }
        }
        return begins;
    }

    /**
     * The read-ahead resources of a store that use the threads of retrieval.
     *
     * @param maxBytes the limit of bytes ahead of all readers of the store together
     */
    public static ReadingAhead of(long maxBytes, RetrievalThreads threads) {
        return new ReadingAhead(new RetrievalBalance(maxBytes, threads.nanoTime()), threads::run);
    }
}
