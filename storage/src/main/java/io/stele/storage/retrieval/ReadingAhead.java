package io.stele.storage.retrieval;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.Executor;

/**
 * How a store over a network is read ahead of.
 *
 * @param balance of all who read from it
 * @param executor runs tasks that wait for the store
 */
public record ReadingAhead(RetrievalBalance balance, Executor executor) {
    public ReadingAhead {
        requireNonNull(balance, "balance is null");
        requireNonNull(executor, "executor is null");
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
