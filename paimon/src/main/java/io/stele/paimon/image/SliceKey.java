package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.manifest.ManifestEntry;

/**
 * The sort key of a slice of an image: a partition and bucket, whose files stand together. The
 * total number of buckets belongs to it, since a rescale leaves older files with another number
 * beside newer ones.
 *
 * @param partition the bytes of the partition's row; their order is that of slices, and no order of
 *     values
 */
record SliceKey(byte[] partition, int bucket, int totalBuckets) implements Comparable<SliceKey> {
    SliceKey {
        requireNonNull(partition, "partition is null");
    }

    static SliceKey of(ManifestEntry entry) {
        return new SliceKey(bytes(entry.partition()), entry.bucket(), entry.totalBuckets());
    }

    static byte[] bytes(BinaryRow partition) {
        return partition.toBytes();
    }

    boolean contains(ManifestEntry entry) {
        return bucket == entry.bucket()
                && totalBuckets == entry.totalBuckets()
                && Arrays.equals(partition, bytes(entry.partition()));
    }

    @Override
    public int compareTo(SliceKey other) {
        int result = Arrays.compareUnsigned(partition, other.partition);
        if (result == 0) {
            result = Integer.compare(bucket, other.bucket);
        }
        return result == 0 ? Integer.compare(totalBuckets, other.totalBuckets) : result;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SliceKey that && compareTo(that) == 0;
    }

    @Override
    public int hashCode() {
        return 31 * (31 * Arrays.hashCode(partition) + bucket) + totalBuckets;
    }
}
