package io.stele.storage.format;

import java.util.Arrays;

/**
 * Builds the payload of a block of sorted entries. Keys share prefixes with the key before; every
 * so many entries a <em>restart point</em> has its whole key, so that a search can begin there.
 *
 * <pre>
 * entry:   varint shared key bytes | varint other key bytes | varint value length | other key bytes | value
 * trailer: offset of each restart point 4 | number of entries 4 | restart interval 4
 * </pre>
 *
 * Entry {@code n} is a restart point if {@code n} is a multiple of the restart interval. Numbers
 * are little-endian. Confined to one thread.
 */
final class EntryBlockBuilder {
    static final int TRAILER_FIXED = 8;

    private final int restartInterval;
    private final ByteSink bytes;
    private int[] restarts = new int[64];
    private int restartCount;
    private int entryCount;
    private byte[] lastKey = new byte[64];
    private int lastKeyLength;

    EntryBlockBuilder(int expectedBytes, int restartInterval) {
        if (restartInterval < 1) {
            throw new IllegalArgumentException(
                    "Expected a restart interval >= 1, found " + restartInterval);
        }
        this.restartInterval = restartInterval;
        this.bytes = new ByteSink(expectedBytes + expectedBytes / 4);
    }

    boolean isEmpty() {
        return entryCount == 0;
    }

    int entryCount() {
        return entryCount;
    }

    /** The payload's length if it ended here. */
    int size() {
        return bytes.size() + 4 * restartCount + TRAILER_FIXED;
    }

    /** The key added last, a copy. */
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

    /**
     * Writes the trailer; the payload is the first {@link ByteSink#size()} bytes of the result
     * until {@link #clear}.
     */
    ByteSink finish() {
        for (int i = 0; i < restartCount; i++) {
            bytes.writeInt(restarts[i]);
        }
        bytes.writeInt(entryCount);
        bytes.writeInt(restartInterval);
        return bytes;
    }

    void clear() {
        bytes.clear();
        restartCount = 0;
        entryCount = 0;
        lastKeyLength = 0;
    }

    private void remember(byte[] key, int offset, int length, int shared) {
        if (lastKey.length < length) {
            lastKey = Arrays.copyOf(lastKey, Math.max(length, lastKey.length * 2));
        }
        System.arraycopy(key, offset + shared, lastKey, shared, length - shared);
        lastKeyLength = length;
    }
}
