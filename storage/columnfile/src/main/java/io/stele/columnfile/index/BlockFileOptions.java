package io.stele.columnfile.index;

import static java.util.Objects.requireNonNull;

/**
 * Options of the layout of SST files and key indexes: sizes of blocks, filter and compression.
 * Readers find all of them in the file.
 *
 * @param blockBytes payload at which a block ends
 * @param partitionBytes a part of the index ends when it, or its part of the filter, has this size
 * @param restartInterval most entries from one whole key to the next; fewer where entries are so
 *     wide that a scan over them costs more than a whole key saves
 * @param bitsPerKey of the Bloom filter
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
     * The same for key indexes: of a block only one key is wanted, as a rule, and a change of a
     * column table looks one up in each file that may have it. Blocks of 4 KiB are a quarter of the
     * work where they are not in memory, and a quarter of the memory where they are.
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
