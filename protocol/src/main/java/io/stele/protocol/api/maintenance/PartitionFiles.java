package io.stele.protocol.api.maintenance;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;

/**
 * The totals of the present column files of one partition: files, rows and bytes. Rows in memory
 * are not counted. The array must not be changed.
 *
 * @param partition values of the partition columns, in the form of {@link
 *     io.stele.protocol.row.KeyEncoder#forColumns}; empty without partition columns
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
