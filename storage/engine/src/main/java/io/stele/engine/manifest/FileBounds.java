package io.stele.engine.manifest;

import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.ValueRange;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The bounds of one column in each of some files: the first eight bytes of its smallest and largest
 * value, as unsigned numbers: the order of values is that of their bytes, and of their beginnings
 * with zeros behind them, as far as these are different. Immutable and thread-safe.
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
     * @param schemaVersion bounds of files of other versions may have another type, and count as
     *     unknown
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
     * @param domain with ranges, none of which has null or NaN
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

    /** Ranges that files are compared with; ascending, as those of domains. */
    final class Test {
        private final long[] low;
        private final long[] high;

        private Test(long[] low, long[] high) {
            this.low = low;
            this.high = high;
        }

        /** Whether a file may have values in one of them. */
        boolean mayMatch(int file) {
            int first = 0; // of those that do not end before the file's values begin
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
