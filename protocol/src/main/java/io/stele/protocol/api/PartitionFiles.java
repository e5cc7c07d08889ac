package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;

/**
 * What the column files of one partition hold now; rows in memory are not counted. The array is not
 * to be changed.
 *
 * @param partition values of the partition columns, as {@link
 *     io.stele.protocol.row.KeyEncoder#forColumns} forms them; empty without any
 * @param rowCount rows that are not deleted
 */
public record PartitionFiles(byte[] partition, long fileCount, long rowCount, long sizeBytes) {
    public PartitionFiles {
        requireNonNull(partition, "partition is null");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PartitionFiles files
                && Arrays.equals(partition, files.partition)
                && fileCount == files.fileCount
                && rowCount == files.rowCount
                && sizeBytes == files.sizeBytes;
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(partition);
    }
}
