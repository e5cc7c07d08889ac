package io.stele.storage.warehouse;

import static java.util.Objects.requireNonNull;

import io.stele.storage.objectstore.hadoop.HadoopConfig;
import io.stele.storage.objectstore.s3.S3Config;
import io.stele.storage.retrieval.RetrievalConfig;
import io.stele.storage.retrieval.RetrievalThreads;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;

/**
 * What it takes to reach a warehouse wherever it is.
 *
 * @param s3 used by buckets only
 * @param hadoop used by file systems of Hadoop only
 * @param retrieval how buckets and file systems of Hadoop are read
 * @param random safe for many threads
 * @param sleepMillis lets the calling thread wait between attempts
 * @param retrievalThreads read them
 */
public record WarehouseAccess(
        S3Config s3,
        HadoopConfig hadoop,
        RetrievalConfig retrieval,
        RandomGenerator random,
        LongConsumer sleepMillis,
        RetrievalThreads retrievalThreads) {
    public WarehouseAccess {
        requireNonNull(s3, "s3 is null");
        requireNonNull(hadoop, "hadoop is null");
        requireNonNull(retrieval, "retrieval is null");
        requireNonNull(random, "random is null");
        requireNonNull(sleepMillis, "sleepMillis is null");
        requireNonNull(retrievalThreads, "retrievalThreads is null");
    }
}
