package io.stele.columnfile.bytes;

import java.util.Arrays;

/**
 * A growing in-memory byte buffer to which the encoders of block files append values. Confined to
 * one thread.
 */
public final class ByteSink {
    private byte[] bytes;
    private int size;

    public ByteSink(int initialCapacity) {
        this.bytes = new byte[Math.max(16, initialCapacity)];
    }

    public int size() {
        return size;
    }

    /** The bytes themselves: valid up to {@link #size()}, until the next append. */
    public byte[] array() {
        return bytes;
    }

    public byte[] toByteArray() {
        return Arrays.copyOf(bytes, size);
    }

    public void clear() {
        size = 0;
    }

    public void writeByte(int value) {
        ensure(1);
        bytes[size++] = (byte) value;
    }

    public void writeInt(int value) {
        ensure(4);
        LittleEndian.putInt(bytes, size, value);
        size += 4;
    }

    public void writeLong(long value) {
        ensure(8);
        LittleEndian.putLong(bytes, size, value);
        size += 8;
    }

    public void writeBytes(byte[] source, int offset, int length) {
        ensure(length);
        System.arraycopy(source, offset, bytes, size, length);
        size += length;
    }

    /** Appends a varint length, then the bytes. */
    public void writeSizedBytes(byte[] source) {
        writeVarint(source.length);
        writeBytes(source, 0, source.length);
    }

    /**
     * Appends 7 bits a byte, least significant bits first, with the high bit set on all bytes but
     * the last; at most 10 bytes.
     */
    public void writeVarint(long value) {
        ensure(10);
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
    }

    /**
     * Makes room for {@code length} more bytes; the caller fills them and calls {@link #advance}.
     */
    public void ensure(int length) {
        if (bytes.length - size < length) {
            int needed = Math.addExact(size, length);
            bytes =
                    Arrays.copyOf(
                            bytes,
                            (int)
                                    Math.max(
                                            needed,
                                            Math.min(Integer.MAX_VALUE - 8L, bytes.length * 2L)));
        }
    }

    public void advance(int length) {
        size += length;
    }
}
