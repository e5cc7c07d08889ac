package io.stele.storage.format;

import java.util.Arrays;

/** A byte array that grows as values are appended. Confined to one thread. */
final class ByteSink {
    private byte[] bytes;
    private int size;

    ByteSink(int initialCapacity) {
        this.bytes = new byte[Math.max(16, initialCapacity)];
    }

    int size() {
        return size;
    }

    /** The bytes themselves: valid up to {@link #size()}, until the next append. */
    byte[] array() {
        return bytes;
    }

    byte[] toByteArray() {
        return Arrays.copyOf(bytes, size);
    }

    void clear() {
        size = 0;
    }

    void writeByte(int value) {
        ensure(1);
        bytes[size++] = (byte) value;
    }

    void writeInt(int value) {
        ensure(4);
        LittleEndian.putInt(bytes, size, value);
        size += 4;
    }

    void writeLong(long value) {
        ensure(8);
        LittleEndian.putLong(bytes, size, value);
        size += 8;
    }

    void writeBytes(byte[] source, int offset, int length) {
        ensure(length);
        System.arraycopy(source, offset, bytes, size, length);
        size += length;
    }

    /** A varint length, then the bytes. */
    void writeSizedBytes(byte[] source) {
        writeVarint(source.length);
        writeBytes(source, 0, source.length);
    }

    /**
     * 7 bits a byte, least significant first, high bit set on all but the last; at most 10 bytes.
     */
    void writeVarint(long value) {
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
    void ensure(int length) {
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

    void advance(int length) {
        size += length;
    }
}
