package io.stele.columnfile.index;

import static java.util.Objects.requireNonNull;

/**
 * Options of the layout of SST files and key indexes: sizes of blocks, filter and compression. They
 * are for writers only: readers find all of them in the file.
 *
 * @param blockBytes payload size in bytes at which a block ends
 * @param partitionBytes size in bytes of a part of the index, or of its part of the filter, at
 *     which the part ends
 * @param restartInterval the greatest number of entries from one whole key to the next. It is less
 *     if entries are so wide that a scan over them costs more than a whole key saves
 * @param bitsPerKey bits of the Bloom filter for each key
 */
public record BlockFileOptions(
        int blockBytes,
        int partitionBytes,
        int restartInterval,
        int bitsPerKey,
        Compression compression) {
    /**
     * Blocks of 16 KiB: about 16 rows of 1 KiB to decompress for a point read. Parts of 16 KiB lead
     * to some 500 such blocks or 13,000 keys, so the top of the index of a 1 GiB file has 4 KiB.
     */
    public static final BlockFileOptions DEFAULT =
            new BlockFileOptions(16 << 10, 16 << 10, 16, 10, Compression.LZ4);

    /**
     * The default options of key indexes, with blocks of 4 KiB. A lookup usually needs only one key
     * of a block, and a change of a column table looks up its key in each file that may have it. A
     * block of 4 KiB costs a quarter of the work if it is not in memory, and a quarter of the
     * memory if it is.
     */
    public static final BlockFileOptions KEY_INDEX =
            new BlockFileOptions(4 << 10, 16 << 10, 16, 10, Compression.PACKED);

    public BlockFileOptions {
        requireNonNull(compression, "compression is null");
        check(
                blockBytes >= 64 && blockBytes <= 16 << 20,
                "a block size of 64 B to 16 MiB",
                blockBytes);
        check(
                partitionBytes >= 64 && partitionBytes <= 16 << 20,
                "a partition size of 64 B to 16 MiB",
                partitionBytes);
        check(
                restartInterval >= 1 && restartInterval <= 4096,
                "a restart interval of 1 to 4096",
                restartInterval);
        check(bitsPerKey >= 1 && bitsPerKey <= 64, "1 to 64 filter bits a key", bitsPerKey);
    }

    public BlockFileOptions withCompression(Compression newCompression) {
        return new BlockFileOptions(
                blockBytes, partitionBytes, restartInterval, bitsPerKey, newCompression);
    }

    public BlockFileOptions withBitsPerKey(int newBitsPerKey) {
        return new BlockFileOptions(
                blockBytes, partitionBytes, restartInterval, newBitsPerKey, compression);
    }

    private static void check(boolean condition, String expected, int found) {
        if (!condition) {
            throw new IllegalArgumentException("Expected " + expected + ", found " + found);
        }
    }
}
