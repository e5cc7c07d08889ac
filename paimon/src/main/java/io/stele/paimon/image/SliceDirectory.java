package io.stele.paimon.image;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.base.Preconditions.checkState;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.memory.MemorySegment;

/**
 * The sorted directory of an image's slices, each a partition and bucket with its range of entries
 * and its sums. It has a dictionary of partitions, and arrays by slice; a slice takes 32 bytes.
 *
 * <p>Partitions and slices are sorted, so both are found by binary search; a hash table would be
 * larger and faster by less than a microsecond.
 *
 * <p>Immutable.
 */
final class SliceDirectory {
    private final int arity;
    private final byte[] partitions; // rows one after the other
    private final int[] partitionOffsets; // by partition, and the end
    private final int[] partitionSlices; // the first slice by partition, and the end
    private final int[] buckets; // by slice
    private final int[] totalBuckets; // by slice
    private final int[] entries; // the first entry by slice, and the end
    private final long[] rowCounts; // by slice
    private final long[] sizesBytes; // by slice

    private SliceDirectory(Builder builder) {
        this.arity = builder.arity;
        this.partitions = builder.partitions.toByteArray();
        builder.partitionOffsets.add(partitions.length);
        builder.partitionSlices.add(builder.slices.size());
        this.partitionOffsets = ints(builder.partitionOffsets);
        this.partitionSlices = ints(builder.partitionSlices);
        int count = builder.slices.size();
        this.buckets = new int[count];
        this.totalBuckets = new int[count];
        this.entries = new int[count + 1];
        this.rowCounts = new long[count];
        this.sizesBytes = new long[count];
        for (int slice = 0; slice < count; slice++) {
            buckets[slice] = builder.slices.get(slice).bucket();
            totalBuckets[slice] = builder.slices.get(slice).totalBuckets();
            SliceSums sums = builder.sums.get(slice);
            entries[slice + 1] = Math.addExact(entries[slice], sums.fileCount());
            rowCounts[slice] = sums.rowCount();
            sizesBytes[slice] = sums.sizeBytes();
        }
    }

    private static int[] ints(List<Integer> values) {
        return values.stream().mapToInt(Integer::intValue).toArray();
    }

    int partitionCount() {
        return partitionOffsets.length - 1;
    }

    int sliceCount() {
        return buckets.length;
    }

    int entryCount() {
        return entries[buckets.length];
    }

    int arity() {
        return arity;
    }

    /** The row of a partition, over memory that is not copied. */
    BinaryRow partition(int partition) {
        BinaryRow row = new BinaryRow(arity);
        row.pointTo(
                MemorySegment.wrap(partitions),
                partitionOffsets[partition],
                partitionOffsets[partition + 1] - partitionOffsets[partition]);
        return row;
    }

    /** The index of the partition with this row; negative: there is none. */
    int findPartition(byte[] row) {
        int low = 0;
        int high = partitionCount() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int comparison =
                    Arrays.compareUnsigned(
                            partitions,
                            partitionOffsets[middle],
                            partitionOffsets[middle + 1],
                            row,
                            0,
                            row.length);
            if (comparison == 0) {
                return middle;
            }
            if (comparison < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -(low + 1);
    }

    int firstSlice(int partition) {
        return partitionSlices[partition];
    }

    int endSlice(int partition) {
        return partitionSlices[partition + 1];
    }

    /** The first slice of the partition that has this bucket or a higher one. */
    int firstSlice(int partition, int bucket) {
        int low = partitionSlices[partition];
        int high = partitionSlices[partition + 1];
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (buckets[middle] < bucket) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The first slice that is not before {@code key}; its number is the count of slices before. */
    int ceilingSlice(SliceKey key) {
        int partition = findPartition(key.partition());
        if (partition < 0) {
            return partitionSlices[-(partition + 1)];
        }
        int slice = firstSlice(partition, key.bucket());
        while (slice < endSlice(partition)
                && buckets[slice] == key.bucket()
                && totalBuckets[slice] < key.totalBuckets()) {
            slice++;
        }
        return slice;
    }

    boolean isSlice(int slice, SliceKey key) {
        return slice < sliceCount()
                && buckets[slice] == key.bucket()
                && totalBuckets[slice] == key.totalBuckets()
                && findPartition(key.partition()) == partitionOf(slice);
    }

    int bucket(int slice) {
        return buckets[slice];
    }

    int totalBuckets(int slice) {
        return totalBuckets[slice];
    }

    int firstEntry(int slice) {
        return entries[slice];
    }

    int endEntry(int slice) {
        return entries[slice + 1];
    }

    SliceSums sums(int slice) {
        return new SliceSums(
                entries[slice + 1] - entries[slice], rowCounts[slice], sizesBytes[slice]);
    }

    /** The slice of an entry. */
    int sliceOf(int entry) {
        int found = Arrays.binarySearch(entries, entry);
        return found >= 0 ? found : -(found + 1) - 1;
    }

    int partitionOf(int slice) {
        int found = Arrays.binarySearch(partitionSlices, slice);
        return found >= 0 ? found : -(found + 1) - 1;
    }

    SliceKey key(int slice) {
        return key(partitionOf(slice), slice);
    }

    private SliceKey key(int partition, int slice) {
        return new SliceKey(
                Arrays.copyOfRange(
                        partitions, partitionOffsets[partition], partitionOffsets[partition + 1]),
                buckets[slice],
                totalBuckets[slice]);
    }

    long retainedBytes() {
        return 200L
                + partitions.length
                + (long) Integer.BYTES
                        * (partitionOffsets.length
                                + partitionSlices.length
                                + buckets.length
                                + totalBuckets.length
                                + entries.length)
                + (long) Long.BYTES * (rowCounts.length + sizesBytes.length);
    }

    /**
     * A copy of this directory with differences added to the sums; slices without files are left
     * out.
     */
    SliceDirectory apply(NavigableMap<SliceKey, SliceSums> differences, int newArity) {
        Builder builder = new Builder(sliceCount() == 0 ? newArity : arity);
        int slice = 0;
        for (Map.Entry<SliceKey, SliceSums> difference : differences.entrySet()) {
            int ceiling = ceilingSlice(difference.getKey());
            slice = copy(slice, ceiling, builder);
            SliceSums sums = difference.getValue();
            if (isSlice(slice, difference.getKey())) {
                sums = sums.plus(sums(slice));
                slice++;
            }
            builder.add(difference.getKey(), sums);
        }
        copy(slice, sliceCount(), builder);
        return builder.build();
    }

    private int copy(int from, int to, Builder builder) {
        if (from < to) {
            int partition = partitionOf(from);
            for (int slice = from; slice < to; slice++) {
                while (slice >= partitionSlices[partition + 1]) {
                    partition++;
                }
                builder.add(key(partition, slice), sums(slice));
            }
        }
        return Math.max(from, to);
    }

    /** A builder that accepts the slices in their order. Confined to one thread. */
    static final class Builder {
        private final int arity;
        private final ByteArrayOutputStream partitions = new ByteArrayOutputStream();
        private final List<Integer> partitionOffsets = new ArrayList<>();
        private final List<Integer> partitionSlices = new ArrayList<>();
        private final List<SliceKey> slices = new ArrayList<>();
        private final List<SliceSums> sums = new ArrayList<>();

        /**
         * @param arity the number of partition columns
         */
        Builder(int arity) {
            checkArgument(arity >= 0, "arity must be >= 0: %s", arity);
            this.arity = arity;
        }

        Builder add(SliceKey key, SliceSums sliceSums) {
            checkState(
                    sliceSums.fileCount() >= 0,
                    "a slice must have >= 0 files: %s",
                    sliceSums.fileCount());
            if (sliceSums.fileCount() == 0) {
                return this;
            }
            SliceKey last = slices.isEmpty() ? null : slices.getLast();
            checkState(last == null || last.compareTo(key) < 0, "slices must be in order");
            if (last == null || !Arrays.equals(last.partition(), key.partition())) {
                partitionOffsets.add(partitions.size());
                partitionSlices.add(slices.size());
                partitions.writeBytes(key.partition());
            }
            slices.add(key);
            sums.add(sliceSums);
            return this;
        }

        SliceDirectory build() {
            return new SliceDirectory(this);
        }
    }
}
