package io.stele.benchmarks.ingest;

import java.util.concurrent.CompletableFuture;

/** A store that rows are written to, durably, batch by batch. */
interface IngestStore extends AutoCloseable {
    String name();

    /** The writer of one thread. */
    BatchWriter writer() throws Exception;

    /** CPU nanoseconds that the store's processes other than this one have used so far. */
    long otherCpuNanos() throws Exception;

    /** The number of rows in the store, counted by the store itself. */
    long count() throws Exception;

    @Override
    void close() throws Exception;

    /** Writes batches; confined to one thread. */
    interface BatchWriter extends AutoCloseable {
        /**
         * Hands over rows {@code first} to {@code first + count - 1}; the future completes when all
         * of them are durable and visible. A store whose API waits for that returns a future that
         * is complete.
         */
        CompletableFuture<?> write(long first, int count) throws Exception;

        @Override
        void close() throws Exception;
    }
}
