package io.stele.columnfile.index;

import io.stele.columnfile.bytes.ByteSource;
import io.stele.columnfile.bytes.Corruption;
import java.util.Arrays;

/**
 * A cursor over the entries of an entry block, which can also search and can be reset to another
 * block. It rebuilds the current key in its own buffer; the value is a range of the block. Confined
 * to one thread.
 */
final class EntryCursor {
    private EntryBlock block;
    private int position;
    private int nextOrdinal;

    private byte[] key = new byte[64];
    private int keyLength;
    private int valueOffset;
    private int valueLength;

    EntryCursor(EntryBlock block) {
        this.block = block;
    }

    /** Starts before the first entry of {@code newBlock}. */
    void reset(EntryBlock newBlock) {
        block = newBlock;
        position = 0;
        nextOrdinal = 0;
        keyLength = 0;
    }

    /** Moves to the next entry; false at the end of the block. */
    boolean next() {
        if (nextOrdinal >= block.entryCount) {
            if (position != block.entriesEnd) {
                throw Corruption.mismatch(
                        block.path,
                        block.fileOffset,
                        "end of entries at",
                        block.entriesEnd,
                        position);
            }
            return false;
        }
        readEntry();
        nextOrdinal++;
        return true;
    }

    /**
     * Moves to the first entry whose key is at or after {@code target}; false if there is none in
     * this block.
     */
    boolean seek(byte[] target) {
        int restart = block.lastRestartBefore(target);
        nextOrdinal = restart * block.restartInterval;
        keyLength = 0;
        position = block.restartOffset(restart);
        while (next()) {
            if (Arrays.compareUnsigned(key, 0, keyLength, target, 0, target.length) >= 0) {
                return true;
            }
        }
        return false;
    }

    /** Position of the current entry in its block, from 0. */
    int ordinal() {
        return nextOrdinal - 1;
    }

    /** The buffer of the current key: valid up to {@link #keyLength()}, until the cursor moves. */
    byte[] keyArray() {
        return key;
    }

    int keyLength() {
        return keyLength;
    }

    byte[] valueArray() {
        return block.bytes;
    }

    int valueOffset() {
        return valueOffset;
    }

    int valueLength() {
        return valueLength;
    }

    /** Reads the current value. */
    ByteSource value() {
        return block.value(valueOffset, valueLength);
    }

    long fileOffset() {
        return block.fileOffset;
    }

    boolean keyEquals(byte[] other) {
        return Arrays.equals(key, 0, keyLength, other, 0, other.length);
    }

    private void readEntry() {
        int shared = readVarint();
        if (shared > keyLength) {
            throw Corruption.mismatch(
                    block.path, block.fileOffset, "shared key bytes of at most", keyLength, shared);
        }
        int other = readVarint();
        valueLength = readVarint();
        if ((long) position + other + valueLength > block.entriesEnd) {
            throw Corruption.mismatch(
                    block.path,
                    block.fileOffset,
                    "entry within",
                    block.entriesEnd + " bytes",
                    (long) position + other + valueLength);
        }
        if (key.length - shared < other) {
            key = Arrays.copyOf(key, Math.max(shared + other, key.length * 2));
        }
        System.arraycopy(block.bytes, position, key, shared, other);
        keyLength = shared + other;
        valueOffset = position + other;
        position = valueOffset + valueLength;
    }

    private int readVarint() {
        int value = 0;
        for (int shift = 0; shift < 32; shift += 7) {
            if (position >= block.entriesEnd) {
                throw Corruption.mismatch(
                        block.path, block.fileOffset, "entry before", block.entriesEnd, position);
            }
            int next = block.bytes[position++];
            value |= (next & 0x7f) << shift;
            if (next >= 0) {
                if (value < 0) {
                    break;
                }
                return value;
            }
        }
        throw Corruption.mismatch(block.path, block.fileOffset, "length below", "2^31", "more");
    }
}
