package io.stele.paimon.handle;

import static io.airlift.slice.SizeOf.estimatedSizeOf;
import static io.airlift.slice.SizeOf.instanceSize;
import static java.util.Objects.requireNonNull;

import io.trino.spi.SplitWeight;
import io.trino.spi.connector.ConnectorSplit;
import java.util.Optional;

/**
 * A range of one data file whose rows are read as they are, without merging with those of other
 * files.
 *
 * @param path the full location of the file
 * @param format {@code orc}, {@code parquet} or {@code avro}, in lower case
 * @param start the stripes, or row groups, that start at or after this byte belong to the split
 * @param length and before {@code start + length}
 * @param fileSize in bytes
 * @param rowCount of the whole file
 * @param schemaId of the schema with which the file was written
 * @param deletions the deleted rows of the file
 * @param affinity the key under which a worker is chosen: the same for all splits of a file
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
        String affinity,
        SplitWeight weight)
        implements ConnectorSplit {
    private static final int INSTANCE_SIZE = instanceSize(PaimonFileSplit.class);

    public PaimonFileSplit {
        requireNonNull(path, "path is null");
        requireNonNull(format, "format is null");
        requireNonNull(deletions, "deletions is null");
        requireNonNull(affinity, "affinity is null");
        requireNonNull(weight, "weight is null");
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
                + deletions.map(deletion -> estimatedSizeOf(deletion.path()) + 48).orElse(0L);
    }
}
