package io.stele.storage.orc;

import static java.util.Objects.requireNonNull;

/**
 * How column files are laid out. Readers find all of it in the file.
 *
 * @param stripeBytes memory at which a stripe ends: the unit of parallel reading
 * @param rowGroupRows rows with statistics and positions of their own: the unit of skipping
 * @param chunkBytes most bytes that are compressed together: what a point read decompresses of each
 *     stream
 */
public record ColumnFileOptions(
        OrcCompression compression, long stripeBytes, int rowGroupRows, int chunkBytes) {
    /**
     * Stripes and row groups as Trino and Hive have them; chunks of 64 KiB cost scans nothing and
     * make point reads four times cheaper.
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
                rowGroupRows >= 1_000 && rowGroupRows <= 1_000_000,
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

    private static void check(boolean condition, String expected, long found) {
        if (!condition) {
            throw new IllegalArgumentException("Expected " + expected + ", found " + found);
        }
    }
}
