package io.stele.protocol.api.maintenance;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The description of one present file of a table, in replies that list files. The array must not be
 * changed.
 *
 * @param path warehouse path
 * @param column whether it is a column file (ORC); else it is an SST file
 * @param indexId the secondary index whose entries it has; empty if it has rows of the table
 * @param level 0 for a file that was flushed or written by a worker, higher for a compacted one
 * @param partition values of the partition columns, as {@link
 *     io.stele.protocol.row.KeyEncoder#forColumns} forms them; empty if files are not separated by
 *     partition
 * @param rowCount rows or versions in the file, deleted ones included
 * @param deletedCount deleted rows; 0 for an SST file, in which deletions are versions
 * @param minLsn smallest LSN of its rows
 * @param maxLsn greatest LSN of its rows
 */
public record TableFile(
        String path,
        boolean column,
        OptionalInt indexId,
        int level,
        Optional<byte[]> partition,
        long rowCount,
        long deletedCount,
        long sizeBytes,
        Lsn minLsn,
        Lsn maxLsn,
        int schemaVersion) {
    public TableFile {
        requireNonNull(path, "path is null");
        requireNonNull(indexId, "indexId is null");
        requireNonNull(partition, "partition is null");
        requireNonNull(minLsn, "minLsn is null");
        requireNonNull(maxLsn, "maxLsn is null");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TableFile file
                && path.equals(file.path)
                && column == file.column
                && indexId.equals(file.indexId)
                && level == file.level
                && Arrays.equals(partition.orElse(null), file.partition.orElse(null))
                && rowCount == file.rowCount
                && deletedCount == file.deletedCount
                && sizeBytes == file.sizeBytes
                && minLsn.equals(file.minLsn)
                && maxLsn.equals(file.maxLsn)
                && schemaVersion == file.schemaVersion;
    }

    @Override
    public int hashCode() {
        return path.hashCode();
    }
}
