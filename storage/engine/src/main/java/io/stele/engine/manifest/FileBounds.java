package io.stele.engine.manifest;

import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.ValueRange;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The bounds of one column in many files, as the first eight bytes of its smallest and largest
 * values, for file pruning in scan planning. The bytes are unsigned numbers, padded with zeros;
 * their order is the order of the values, except that different values may have equal numbers.
 * Immutable and thread-safe.
 */
final class FileBounds {
    private static final long LARGEST = -1L; // unsigned
    private static final ColumnStats UNKNOWN =
            new ColumnStats(Optional.empty(), Optional.empty(), -1, true);

    private final long[] min;
    private final long[] max;

    private FileBounds(long[] min, long[] max) {
        this.min = min;
        this.max = max;
    }

    /**
     * @param schemaVersion the version of the column's type; bounds of files of other versions
     *     count as unknown
     */
    static <F> FileBounds of(
            List<F> files, Function<F, FileEntry> entries, int columnId, int schemaVersion) {
        long[] min = new long[files.size()];
        long[] max = new long[files.size()];
        for (int i = 0; i < min.length; i++) {
            FileEntry entry = entries.apply(files.get(i));
            ColumnStats stats =
                    entry.schemaVersion() == schemaVersion
                            ? entry.columnStats().getOrDefault(columnId, UNKNOWN)
                            : UNKNOWN;
            boolean known = stats.min().isPresent() && stats.max().isPresent();
            min[i] = known ? prefix(stats.min().get()) : 0;
            max[i] = known ? prefix(stats.max().get()) : LARGEST;
        }
        return new FileBounds(min, max);
    }

    private static long prefix(byte[] value) {
        long prefix = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            prefix = prefix << 8 | (i < value.length ? value[i] & 0xff : 0);
        }
        return prefix;
    }

    /**
     * @param domain with at least one range, and without null and NaN
     */
    Test test(ColumnDomain domain) {
        int count = domain.ranges().size();
        long[] low = new long[count];
        long[] high = new long[count];
        for (int i = 0; i < count; i++) {
            ValueRange range = domain.ranges().get(i);
            low[i] = range.low().map(FileBounds::prefix).orElse(0L);
            high[i] = range.high().map(FileBounds::prefix).orElse(LARGEST);
        }
        return new Test(low, high);
    }

    /** The ranges of a domain, ascending, with which files are compared. */
    final class Test {
        private final long[] low;
        private final long[] high;

        private Test(long[] low, long[] high) {
            this.low = low;
            this.high = high;
        }

        /** Whether a file may have values in one of the ranges. */
        boolean mayMatch(int file) {
            int first = 0; // of the ranges that end at or after the file's smallest value
            int end = high.length;
            while (first < end) {
                int middle = (first + end) >>> 1;
                if (Long.compareUnsigned(high[middle], min[file]) < 0) {
                    first = middle + 1;
                } else {
                    end = middle;
                }
            }
            return first < low.length && Long.compareUnsigned(low[first], max[file]) <= 0;
        }
    }
}
