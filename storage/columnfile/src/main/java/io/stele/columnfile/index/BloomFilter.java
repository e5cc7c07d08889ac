package io.stele.columnfile.index;

import io.stele.columnfile.bytes.Corruption;
import io.stele.columnfile.bytes.LittleEndian;
import io.stele.protocol.schema.XxHash64;
import java.util.Arrays;

/**
 * A split-block Bloom filter of the keys of an SST file or key index. A key sets one bit in each of
 * the eight 32-bit words of one 32-byte block, so a lookup touches one cache line. The block is
 * chosen by the upper half of the key's 64-bit xxHash, the bits by its lower half and eight odd
 * constants, as in Parquet's filters. At 10 bits a key, about 1 in 100 absent keys passes.
 *
 * <pre>
 * payload: blocks of 8 words of 4 bytes, little-endian; their number is the length / 32
 * </pre>
 *
 * <p>Immutable once built.
 */
final class BloomFilter {
    private static final int BLOCK_BYTES = 32;

    private static final int[] SALTS = {
        0x47b6137b,
        0x44974d91,
        0x8824ad5b,
        0xa2b7289d,
        0x705495c7,
        0x2df1424b,
        0x9efc4947,
        0x5c6bfb31
    };

    private final byte[] bytes;

    private BloomFilter(byte[] bytes) {
        this.bytes = bytes;
    }

    /** The filter of the keys with these hashes. */
    static BloomFilter build(long[] hashes, int count, int bitsPerKey) {
        long wanted = ((long) count * bitsPerKey + 255) / 256;
        int blocks = (int) Math.max(1, Math.min(wanted, BlockFrame.MAX_RAW_LENGTH / BLOCK_BYTES));
        BloomFilter filter = new BloomFilter(new byte[blocks * BLOCK_BYTES]);
        for (int i = 0; i < count; i++) {
            filter.add(hashes[i]);
        }
        return filter;
    }

    static BloomFilter of(String path, long fileOffset, byte[] payload) {
        if (payload.length == 0 || payload.length % BLOCK_BYTES != 0) {
            throw Corruption.mismatch(
                    path, fileOffset, "filter length", "a multiple of 32 above 0", payload.length);
        }
        return new BloomFilter(payload);
    }

    static long hash(byte[] key, int offset, int length) {
        return XxHash64.hash(key, offset, length);
    }

    byte[] payload() {
        return bytes;
    }

    boolean mayContain(long hash) {
        int block = block(hash);
        int low = (int) hash;
        for (int word = 0; word < 8; word++) {
            int bit = 1 << ((low * SALTS[word]) >>> 27);
            if ((LittleEndian.getInt(bytes, block + 4 * word) & bit) == 0) {
                return false;
            }
        }
        return true;
    }

    private void add(long hash) {
        int block = block(hash);
        int low = (int) hash;
        for (int word = 0; word < 8; word++) {
            int at = block + 4 * word;
            LittleEndian.putInt(
                    bytes, at, LittleEndian.getInt(bytes, at) | 1 << ((low * SALTS[word]) >>> 27));
        }
    }

    private int block(long hash) {
        return (int) (((hash >>> 32) * (bytes.length / BLOCK_BYTES)) >>> 32) * BLOCK_BYTES;
    }

    /** The hashes of keys, gathered in memory until the filter is built. Confined to one thread. */
    static final class Builder {
        private long[] hashes = new long[1024];
        private int count;

        void add(long hash) {
            if (count == hashes.length) {
                hashes = Arrays.copyOf(hashes, count * 2);
            }
            hashes[count++] = hash;
        }

        /** The approximate size of the filter in bytes if it were built now. */
        long sizeBytes(int bitsPerKey) {
            return (long) count * bitsPerKey / Byte.SIZE;
        }

        /** The filter of the keys since the last call. */
        BloomFilter build(int bitsPerKey) {
            BloomFilter filter = BloomFilter.build(hashes, count, bitsPerKey);
            count = 0;
            return filter;
        }
    }
}
