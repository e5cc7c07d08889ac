package io.stele.objectstore.warehouse;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.hadoop.HadoopConfig;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.retrieval.RetrievalThreads;
import io.stele.objectstore.s3.S3Config;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;

/**
 * The configuration and resources with which a process reaches a warehouse on any kind of store.
 *
 * @param s3 used by buckets only
 * @param hadoop used by Hadoop file systems only
 * @param retrieval the settings of reads from buckets and Hadoop file systems
 * @param random thread-safe
 * @param sleepMillis blocks the calling thread between attempts
 * @param retrievalThreads the threads of reads from buckets and Hadoop file systems
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
