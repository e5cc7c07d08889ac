package io.stele.columnfile.orc.write;

import static java.util.Objects.requireNonNull;

/**
 * Options of the layout of column files: compression, stripes, row groups and compression chunks.
 * They are for writers only: readers find all of them in the file.
 *
 * @param stripeBytes memory at which a stripe ends: the unit of parallel reading
 * @param rowGroupRows the most rows of a row group, the unit of skipping, which has statistics and
 *     positions. Row groups of wide rows have fewer rows, so that their size stays near {@link
 *     #ROW_GROUP_BYTES}
 * @param chunkBytes the most bytes that are compressed together; a point read decompresses one such
 *     chunk of each stream
 */
public record ColumnFileOptions(
        OrcCompression compression, long stripeBytes, int rowGroupRows, int chunkBytes) {
    /**
     * 2 MiB: a point read decompresses half a row group on average, which is 10,000 rows of 200
     * bytes but would be 10 MiB of rows of 1 KiB.
     */
    static final long ROW_GROUP_BYTES = 2 << 20;

    /** Fewer rows would slow down scans, which restart at each row group. */
    static final int MIN_ROW_GROUP_ROWS = 1_000;

    /**
     * Stripes and row groups have the sizes of Trino and Hive; chunks of 64 KiB cost scans nothing
     * and make point reads four times cheaper.
     */
    public static final ColumnFileOptions DEFAULT =
            new ColumnFileOptions(OrcCompression.LZ4, 64L << 20, 10_000, 64 << 10);

    public ColumnFileOptions {
        requireNonNull(compression, "compression is null");
        check(
                stripeBytes >= 1 << 16 && stripeBytes <= 1L << 30,
                "stripes of 64 KiB to 1 GiB",
                stripeBytes);
        check(
                rowGroupRows >= MIN_ROW_GROUP_ROWS && rowGroupRows <= 1_000_000,
                "row groups of 1,000 to 1,000,000 rows",
                rowGroupRows);
        check(
                chunkBytes >= 1 << 12 && chunkBytes <= 1 << 22,
                "chunks of 4 KiB to 4 MiB",
                chunkBytes);
    }

    public ColumnFileOptions withCompression(OrcCompression newCompression) {
        return new ColumnFileOptions(newCompression, stripeBytes, rowGroupRows, chunkBytes);
    }

    /** Rows of a row group for rows of about this many bytes. */
    public int rowGroupRows(long averageRowBytes) {
        long fitting = ROW_GROUP_BYTES / Math.max(1, averageRowBytes);
        return (int) Math.max(MIN_ROW_GROUP_ROWS, Math.min(rowGroupRows, fitting));
    }

    private static void check(boolean condition, String expected, long found) {
        if (!condition) {
            throw new IllegalArgumentException("Expected " + expected + ", found " + found);
        }
    }
}
