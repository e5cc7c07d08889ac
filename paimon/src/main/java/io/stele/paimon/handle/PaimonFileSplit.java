package io.stele.paimon.handle;

import static io.airlift.slice.SizeOf.estimatedSizeOf;
import static io.airlift.slice.SizeOf.instanceSize;
import static java.util.Objects.requireNonNull;

import io.trino.spi.SplitWeight;
import io.trino.spi.connector.ConnectorSplit;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A split of a range of one data file whose rows this plugin reads as they are, without a merge
 * with other files.
 *
 * @param path the full location of the file
 * @param format {@code orc} or {@code parquet}, in lower case
 * @param start the stripes, or row groups, that start at or after this byte belong to the split
 * @param length in bytes; the stripes, or row groups, that start before {@code start + length}
 *     belong to the split
 * @param fileSize in bytes
 * @param rowCount the number of rows of the whole file
 * @param schemaId of the schema with which the file was written
 * @param deletions the deleted rows of the file
 * @param index Paimon's indexes of the file's columns, if it has any
 * @param affinity the key by which a worker is chosen, which is equal for all splits of a file
 */
public record PaimonFileSplit(
        String path,
        String format,
        long start,
        long length,
        long fileSize,
        long rowCount,
        long schemaId,
        Optional<DeletionVectorLocation> deletions,
        Optional<FileIndex> index,
        String affinity,
        SplitWeight weight)
        implements ConnectorSplit {
    private static final int INSTANCE_SIZE = instanceSize(PaimonFileSplit.class);

    public PaimonFileSplit {
        requireNonNull(path, "path is null");
        requireNonNull(format, "format is null");
        requireNonNull(deletions, "deletions is null");
        requireNonNull(index, "index is null");
        requireNonNull(affinity, "affinity is null");
        requireNonNull(weight, "weight is null");
    }

    /** The number of rows of the whole file that are not deleted; empty: unknown. */
    public OptionalLong visibleRows() {
        if (deletions.isEmpty()) {
            return OptionalLong.of(rowCount);
        }
        long deleted = deletions.get().cardinality();
        return deleted < 0 ? OptionalLong.empty() : OptionalLong.of(rowCount - deleted);
    }

    @Override
    public SplitWeight getSplitWeight() {
        return weight;
    }

    @Override
    public Optional<String> getAffinityKey() {
        return Optional.of(affinity);
    }

    @Override
    public long getRetainedSizeInBytes() {
        return INSTANCE_SIZE
                + estimatedSizeOf(path)
                + estimatedSizeOf(format)
                + estimatedSizeOf(affinity)
                + deletions.map(deletion -> estimatedSizeOf(deletion.path()) + 48).orElse(0L)
                + index.map(FileIndex::retainedBytes).orElse(0L);
    }
}
