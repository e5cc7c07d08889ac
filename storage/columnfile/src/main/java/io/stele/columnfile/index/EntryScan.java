package io.stele.columnfile.index;

import io.stele.columnfile.bytes.Corruption;
import io.stele.columnfile.index.EntryBlock.Found;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A linear search for one key in an entry block, from a restart point on, that does not rebuild the
 * keys in between. In each entry, it compares only the bytes that the shared lengths do not prove
 * equal. Confined to one thread, and short-lived: the compiler holds it in registers.
 */
final class EntryScan {
    /** Usually few bytes are compared, for which a library call would cost more than a loop. */
    private static final int FEW_BYTES = 16;

    private final EntryBlock block;
    private int position;
    private int ordinal;
    private int sharedLength;
    private int otherLength;
    private int valueLength;

    EntryScan(EntryBlock block, int restart) {
        this.block = block;
        this.position = block.restartOffset(restart);
        this.ordinal = restart * block.restartInterval;
    }

    /**
     * The first entry of {@code key} from the restart point up to entry {@code limit}; null if
     * there is none.
     */
    @Nullable Found find(byte[] key, int limit) {
        int matched = 0; // bytes that the entry before, which is smaller, has in common with key
        int nextRestart = ordinal;
        for (; ordinal < limit; ordinal++) {
            readLengths();
            if (ordinal == nextRestart) {
                nextRestart += block.restartInterval;
                matched = 0;
                requireWhole();
            }
            if (sharedLength < matched) {
                return null; // all later keys are greater
            }
            if (sharedLength == matched) {
                int end = position + otherLength;
                int mismatch = mismatch(key, matched);
                if (mismatch < 0) {
                    return new Found(block, ordinal, end, valueLength);
                }
                int at = matched + mismatch;
                if (at == key.length
                        || (mismatch < otherLength
                                && Byte.compareUnsigned(block.bytes[position + mismatch], key[at])
                                        > 0)) {
                    return null;
                }
                matched = at;
            } // else it shares the byte in which its predecessor is smaller
            position += otherLength + valueLength;
        }
        return null;
    }

    /**
     * The result of {@link Arrays#mismatch} for the entry's unshared bytes and the key's bytes from
     * {@code from} on.
     */
    private int mismatch(byte[] key, int from) {
        if (otherLength > FEW_BYTES) {
            int end = position + otherLength;
            return Arrays.mismatch(block.bytes, position, end, key, from, key.length);
        }
        int common = Math.min(otherLength, key.length - from);
        for (int i = 0; i < common; i++) {
            if (block.bytes[position + i] != key[from + i]) {
                return i;
            }
        }
        return otherLength == key.length - from ? -1 : common;
    }

    /** Reads the lengths of the entry at the position, and moves on to its key's bytes. */
    void readLengths() {
        sharedLength = readVarint();
        otherLength = readVarint();
        valueLength = readVarint();
        if ((long) position + otherLength + valueLength > block.entriesEnd) {
            throw Corruption.mismatch(
                    block.path,
                    block.fileOffset,
                    "entry within",
                    block.entriesEnd + " bytes",
                    (long) position + otherLength + valueLength);
        }
    }

    /** Checks that the entry whose lengths were read has its whole key. */
    void requireWhole() {
        if (sharedLength != 0) {
            throw Corruption.mismatch(
                    block.path,
                    block.fileOffset,
                    "whole key at restart point",
                    "0 shared bytes",
                    sharedLength);
        }
    }

    /** The start of the key bytes of the entry whose lengths were read. */
    int keyOffset() {
        return position;
    }

    int otherLength() {
        return otherLength;
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
