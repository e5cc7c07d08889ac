package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

import io.stele.cache.ReadAccount;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * The read-ahead resources of a store over a network: the balance, the executor, the permits for
 * helper tasks, the memory for prefetched bytes, and the present latencies of the store.
 *
 * @param balance of all scans and compactions that read from the store
 * @param executor runs tasks that wait for the store
 * @param helpers permits of tasks that read for a waiting caller: each holds a buffer of half a
 *     MiB, as a rule
 * @param memory the limit of bytes that are prefetched into memory, where there is no data cache
 * @param latency supplies the fitted latencies of the store
 */
public record ReadingAhead(
        ReadAheadBalance balance,
        Executor executor,
        Semaphore helpers,
        ByteBudget memory,
        Supplier<LatencyFit> latency) {
    /** About as many requests as a store of one service rewards; 128 MiB of buffers. */
    private static final int HELPERS = 256;

    /**
     * 128 MiB, as the write buffer of a data cache: what the balance lets scans have ahead (64 MB
     * by default), and as much again for the stripes that they are reading.
     */
    private static final long MEMORY_BYTES = 128L << 20;

    public ReadingAhead {
        requireNonNull(balance, "balance is null");
        requireNonNull(executor, "executor is null");
        requireNonNull(helpers, "helpers is null");
        requireNonNull(memory, "memory is null");
        requireNonNull(latency, "latency is null");
    }

    /** Read-ahead from a store whose latencies are not measured. */
    public ReadingAhead(ReadAheadBalance balance, Executor executor) {
        this(balance, executor, () -> LatencyFit.S3);
    }

    public ReadingAhead(ReadAheadBalance balance, Executor executor, Supplier<LatencyFit> latency) {
        this(balance, executor, new Semaphore(HELPERS), new ByteBudget(MEMORY_BYTES), latency);
    }

    /** The greatest gap in bytes between two ranges that are read by one request. */
    public int gapBytes(GapRule rule) {
        return rule.bytes(latency.get());
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
        Runnable accounted = ReadAccount.carry(work);
        try {
            executor.execute(
                    () -> {
                        try {
                            accounted.run();
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
     * @param latency supplies the fitted latencies of the store
     */
    public static ReadingAhead of(
            long maxBytes, RetrievalThreads threads, Supplier<LatencyFit> latency) {
        return new ReadingAhead(
                new ReadAheadBalance(maxBytes, threads.nanoTime()), threads::run, latency);
    }
}
