package io.stele.columnfile.index;

import io.stele.columnfile.bytes.ByteSink;
import java.util.Arrays;

/**
 * A builder of the payload of a block of sorted entries in SST files and key indexes, with
 * prefix-compressed keys. Keys share prefixes with the key before. At a fixed interval, an entry is
 * a <em>restart point</em> with its whole key, so that a search can begin there. A <em>hash
 * index</em> maps each key to its restart point, after RocksDB's data_block_hash_index.
 *
 * <pre>
 * entry:   varint shared key bytes | varint other key bytes | varint value length | other key bytes | value
 * trailer: offset of each restart point 4 | buckets 1 each | number of buckets 4
 *          | number of entries 4 | restart interval 4
 * </pre>
 *
 * Entry {@code n} is a restart point if {@code n} is a multiple of the restart interval. A bucket
 * contains the number of the restart point at or before the first entries of its keys. It contains
 * 254 if its keys have several restart points, and 255 if it has no key. A block with more than 253
 * restart points, or without lookups of whole keys, has no buckets. Numbers are little-endian.
 * Confined to one thread.
 */
final class EntryBlockBuilder {
    static final int TRAILER_FIXED = 12;
    static final int BUCKET_SHARED = 254;
    static final int BUCKET_EMPTY = 255;

    private final boolean hashed;
    private int restartInterval;
    private final ByteSink bytes;
    private int[] restarts = new int[64];
    private int restartCount;
    private int entryCount;
    private byte[] lastKey = new byte[64];
    private int lastKeyLength;
    private long[] hashes = new long[64];
    private byte[] hashRestarts = new byte[64];
    private int hashCount;

    /**
     * @param hashed whether the block has a hash index; then the caller adds the hash of each key
     *     with {@link #addHash}
     */
    EntryBlockBuilder(int expectedBytes, int restartInterval, boolean hashed) {
        if (restartInterval < 1) {
            throw new IllegalArgumentException(
                    "Expected a restart interval >= 1, found " + restartInterval);
        }
        this.hashed = hashed;
        this.restartInterval = restartInterval;
        this.bytes = new ByteSink(expectedBytes + expectedBytes / 4);
    }

    boolean isEmpty() {
        return entryCount == 0;
    }

    int entryCount() {
        return entryCount;
    }

    /** The length of the payload in bytes if it ended here. */
    int size() {
        return bytes.size() + 4 * restartCount + bucketCount() + TRAILER_FIXED;
    }

    /** A copy of the key added last. */
    byte[] lastKey() {
        return Arrays.copyOf(lastKey, lastKeyLength);
    }

    /**
     * Adds a key and the lengths; the caller then appends exactly {@code valueLength} bytes to the
     * sink that is returned.
     */
    ByteSink add(byte[] key, int offset, int length, int valueLength) {
        int shared = 0;
        if (entryCount % restartInterval == 0) {
            if (restartCount == restarts.length) {
                restarts = Arrays.copyOf(restarts, restarts.length * 2);
            }
            restarts[restartCount++] = bytes.size();
        } else {
            int mismatch = Arrays.mismatch(lastKey, 0, lastKeyLength, key, offset, offset + length);
            shared = mismatch < 0 ? length : mismatch;
        }
        bytes.writeVarint(shared);
        bytes.writeVarint(length - shared);
        bytes.writeVarint(valueLength);
        bytes.writeBytes(key, offset + shared, length - shared);
        remember(key, offset, length, shared);
        entryCount++;
        return bytes;
    }

    /** Adds the hash of the last added key, for the first entry of that key in the block. */
    void addHash(long hash) {
        if (!hashed || restartCount >= BUCKET_SHARED) {
            return;
        }
        if (hashCount == hashes.length) {
            hashes = Arrays.copyOf(hashes, hashCount * 2);
            hashRestarts = Arrays.copyOf(hashRestarts, hashCount * 2);
        }
        hashes[hashCount] = hash;
        hashRestarts[hashCount++] = (byte) (restartCount - 1);
    }

    /** The bucket of a key by the lower half of its hash. */
    static int bucket(long hash, int bucketCount) {
        return (int) (((hash & 0xFFFF_FFFFL) * bucketCount) >>> 32);
    }

    /**
     * Writes the trailer; the payload is the first {@link ByteSink#size()} bytes of the result
     * until {@link #clear}.
     */
    ByteSink finish() {
        for (int i = 0; i < restartCount; i++) {
            bytes.writeInt(restarts[i]);
        }
        int buckets = bucketCount();
        writeBuckets(buckets);
        bytes.writeInt(buckets);
        bytes.writeInt(entryCount);
        bytes.writeInt(restartInterval);
        return bytes;
    }

    /** Starts the next block. */
    void clear(int newRestartInterval) {
        restartInterval = newRestartInterval;
        bytes.clear();
        hashCount = 0;
        restartCount = 0;
        entryCount = 0;
        lastKeyLength = 0;
    }

    /** Three keys for four buckets, as in RocksDB. */
    private int bucketCount() {
        return restartCount >= BUCKET_SHARED || hashCount == 0 ? 0 : hashCount + hashCount / 3 + 1;
    }

    private void writeBuckets(int buckets) {
        bytes.ensure(buckets);
        byte[] array = bytes.array();
        int start = bytes.size();
        Arrays.fill(array, start, start + buckets, (byte) BUCKET_EMPTY);
        for (int i = 0; i < hashCount && buckets > 0; i++) {
            int at = start + bucket(hashes[i], buckets);
            boolean free = array[at] == (byte) BUCKET_EMPTY;
            if (free) {
                array[at] = hashRestarts[i];
            } else if (array[at] != hashRestarts[i]) {
                array[at] = (byte) BUCKET_SHARED;
            }
        }
        bytes.advance(buckets);
    }

    private void remember(byte[] key, int offset, int length, int shared) {
        if (lastKey.length < length) {
            lastKey = Arrays.copyOf(lastKey, Math.max(length, lastKey.length * 2));
        }
        System.arraycopy(key, offset + shared, lastKey, shared, length - shared);
        lastKeyLength = length;
    }
}
