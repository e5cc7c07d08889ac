package io.stele.engine.compaction.policy;

import io.stele.engine.manifest.FileEntry;
import io.stele.protocol.predicate.ColumnStats;
import java.util.Optional;

/**
 * The range of a file's segment key values, from its statistics, as unsigned numbers made of the
 * first eight bytes of the encoded values. Values that only differ in later bytes are one value
 * here.
 *
 * @param low the lowest value, unsigned
 * @param high the highest value, unsigned
 * @param bytes size of the file
 */
record SegmentSpan(long low, long high, long bytes) {
    /** The span of a file by its statistics of the segment key; empty if there are none. */
    static Optional<SegmentSpan> of(FileEntry file, int columnId) {
        ColumnStats stats = file.columnStats().get(columnId);
        if (stats == null || stats.min().isEmpty() || stats.max().isEmpty()) {
            return Optional.empty();
        }
        byte[] min = stats.min().get();
        byte[] max = stats.max().get();
        return Optional.of(
                new SegmentSpan(
                        prefix(min, min.length), prefix(max, max.length), file.sizeBytes()));
    }

    /** The first eight bytes, big-endian; missing bytes are 0. */
    static long prefix(byte[] value, int length) {
        long prefix = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            prefix = prefix << Byte.SIZE | (i < length ? value[i] & 0xFF : 0);
        }
        return prefix;
    }

    /** Whether all rows have the same value, so that no cut divides them. */
    boolean isPoint() {
        return low == high;
    }

    boolean contains(long value) {
        return Long.compareUnsigned(low, value) <= 0 && Long.compareUnsigned(value, high) <= 0;
    }

    /** The bytes of rows below {@code value}, if rows are spread evenly. */
    double bytesBelow(long value) {
        if (Long.compareUnsigned(value, low) <= 0) {
            return 0;
        }
        if (Long.compareUnsigned(value, high) > 0) {
            return bytes;
        }
        return bytes * (unsigned(value - low) / unsigned(high - low));
    }

    private static double unsigned(long value) {
        return value >= 0 ? value : (value >>> 1) * 2.0;
    }
}
