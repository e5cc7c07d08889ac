package io.stele.protocol.wire;

/**
 * A codec of unsigned LEB128 integers below 2^31 in the framed protocol and write batches: seven
 * bits a byte, low bits first, high bit set on all bytes but the last.
 */
final class Varint {
    /** The longest form of a 31-bit number. */
    static final int MAX_BYTES = 5;

    private Varint() {}

    /** The encoded length of a value in bytes. */
    static int sizeBytes(int value) {
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(value);
        return Math.max(1, (bits + 6) / 7);
    }

    /** Writes a value and returns the offset after it. */
    static int put(byte[] array, int offset, int value) {
        int position = offset;
        int rest = value;
        while ((rest & ~0x7F) != 0) {
            array[position++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        array[position++] = (byte) rest;
        return position;
    }

    /**
     * Reads a value. Returns the offset after it in the upper half and the value in the lower half;
     * -1 if the bytes before {@code limit} have no number below 2^31 in its shortest form.
     */
    static long get(byte[] array, int offset, int limit) {
        int value = 0;
        int position = offset;
        for (int shift = 0; shift < 35; shift += 7) {
            if (position >= limit) {
                return -1;
            }
            byte part = array[position++];
            if (shift == 28 && (part & 0xF8) != 0) {
                return -1;
            }
            value |= (part & 0x7F) << shift;
            if (part >= 0) {
                boolean shortest = part != 0 || shift == 0;
                return shortest ? ((long) position << 32) | value : -1;
            }
        }
        return -1;
    }
}
