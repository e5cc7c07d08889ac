package io.stele.storage.warehouse;

import static java.util.Objects.requireNonNull;

import io.stele.storage.objectstore.hadoop.HadoopConfig;
import io.stele.storage.objectstore.s3.S3Config;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;

/**
 * What it takes to reach a warehouse wherever it is.
 *
 * @param s3 used by buckets only
 * @param hadoop used by file systems of Hadoop only
 * @param random safe for many threads
 * @param sleepMillis lets the calling thread wait between attempts
 */
public record WarehouseAccess(
        S3Config s3, HadoopConfig hadoop, RandomGenerator random, LongConsumer sleepMillis) {
    public WarehouseAccess {
        requireNonNull(s3, "s3 is null");
        requireNonNull(hadoop, "hadoop is null");
        requireNonNull(random, "random is null");
        requireNonNull(sleepMillis, "sleepMillis is null");
    }
}
