package io.stele.paimon.handle;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorPartitioningHandle;
import java.util.List;

/**
 * The description of how written rows are assigned to a table's writers, by partition and bucket.
 * Rows of one bucket go to one writer.
 *
 * @param types Paimon's types, as SQL, of the columns that the engine passes
 * @param bucketKey the indexes in {@code types} of the bucket key
 * @param partition the indexes in {@code types} of the partition columns
 * @param buckets the buckets of each partition; 0: one writer has all rows
 * @param function Paimon's name of the hash
 * @param writers the number of writers, each of which is a bucket of the engine
 * @param rowIdFields the fields of the row id that are the columns, where the engine passes the row
 *     id instead of the columns; else empty
 */
public record PaimonPartitioningHandle(
        List<String> types,
        List<Integer> bucketKey,
        List<Integer> partition,
        int buckets,
        String function,
        int writers,
        List<Integer> rowIdFields)
        implements ConnectorPartitioningHandle {
    public PaimonPartitioningHandle {
        types = List.copyOf(types);
        bucketKey = List.copyOf(bucketKey);
        partition = List.copyOf(partition);
        requireNonNull(function, "function is null");
        checkArgument(writers > 0, "writers must be > 0: %s", writers);
        rowIdFields = List.copyOf(rowIdFields);
    }

    /** The same assignment of rows by their row id. */
    public PaimonPartitioningHandle ofRowId(List<Integer> fields) {
        return new PaimonPartitioningHandle(
                types, bucketKey, partition, buckets, function, writers, fields);
    }

    @Override
    public String toString() {
        return "bucket[" + buckets + "]";
    }
}
