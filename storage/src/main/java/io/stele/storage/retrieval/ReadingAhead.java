package io.stele.storage.retrieval;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;

/**
 * How a store over a network is read ahead of.
 *
 * @param balance of all who read from it
 * @param executor runs tasks that wait for the store
 * @param helpers permits of those that read for somebody else who waits for them: each holds a
 *     buffer of half a MiB, as a rule
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
     * Runs work of somebody who waits for it on the executor, with a permit.
     *
     * @return false: there is nobody to help
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
     * With the threads of retrieval.
     *
     * @param maxBytes ahead of all who read from the store
     */
    public static ReadingAhead of(long maxBytes, RetrievalThreads threads) {
        return new ReadingAhead(new RetrievalBalance(maxBytes, threads.nanoTime()), threads::run);
    }
}
