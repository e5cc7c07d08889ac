package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import org.apache.paimon.data.BinaryRow;

/** A partition with at least one file at an image's snapshot, and the sums over its files. */
public record PartitionSums(BinaryRow partition, SliceSums sums) {
    public PartitionSums {
        requireNonNull(partition, "partition is null");
        requireNonNull(sums, "sums is null");
    }
}
