package io.stele.engine.manifest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.Objects;

/**
 * A cursor over the values of a byte array that {@link io.stele.columnfile.bytes.ByteSink} packed.
 * Values that do not end within the array are an IndexOutOfBoundsException, before anything is
 * allocated: arrays also come from files. Confined to one thread.
 */
final class PackedBytes {
    private final byte[] bytes;
    private int position;

    PackedBytes(byte[] bytes, int position) {
        this.bytes = bytes;
        this.position = position;
    }

    int position() {
        return position;
    }

    void skip(int count) {
        Objects.checkFromIndexSize(position, count, bytes.length);
        position += count;
    }

    int readByte() {
        return bytes[position++];
    }

    /** Groups of 7 bits, the lowest first, as {@code ByteSink#writeVarint} writes them. */
    long readNumber() {
        long number = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte next = bytes[position++];
            number |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return number;
            }
        }
        throw new IndexOutOfBoundsException(
                "Expected a number of at most 10 bytes, found more before " + position);
    }

    /** A number that is a length or count of something in the array. */
    int readLength() {
        long length = readNumber();
        if (length < 0 || length > bytes.length) {
            throw new IndexOutOfBoundsException(
                    "Expected a length up to %d, found %d before %d"
                            .formatted(bytes.length, length, position));
        }
        return (int) length;
    }

    /** Eight bytes, the highest first. */
    long readLong() {
        long value = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            value = value << 8 | (bytes[position++] & 0xff);
        }
        return value;
    }

    /** Reads bytes without their length. */
    void read(byte[] target, int offset, int length) {
        System.arraycopy(bytes, position, target, offset, length);
        position += length;
    }

    byte[] readSizedBytes() {
        int length = readLength();
        skip(length);
        return Arrays.copyOfRange(bytes, position - length, position);
    }

    String readText() {
        int length = readLength();
        skip(length);
        return new String(bytes, position - length, length, UTF_8);
    }

    void skipSizedBytes() {
        skip(readLength());
    }

    /** Compares sized bytes with others, as unsigned, and skips them. */
    int compareSizedBytes(byte[] other) {
        int length = readLength();
        skip(length);
        return Arrays.compareUnsigned(bytes, position - length, position, other, 0, other.length);
    }
}
