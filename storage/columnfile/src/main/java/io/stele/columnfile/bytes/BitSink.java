package io.stele.columnfile.bytes;

import static java.util.Objects.requireNonNull;

/**
 * An encoder of bit fields and Rice codes into a byte sink, for packed key index blocks; it fills
 * each byte from the lowest bit. Confined to one thread.
 */
public final class BitSink {
    private final ByteSink bytes;
    private long pending;
    private int pendingBits; // below 8 between calls

    public BitSink(ByteSink bytes) {
        this.bytes = requireNonNull(bytes, "bytes is null");
    }

    /**
     * @param bits 0 to 32
     */
    public void write(int value, int bits) {
        pending |= (value & ((1L << bits) - 1)) << pendingBits;
        pendingBits += bits;
        while (pendingBits >= 8) {
            bytes.writeByte((int) pending);
            pending >>>= 8;
            pendingBits -= 8;
        }
    }

    /**
     * Writes a number as a Rice code: the value of its upper bits as that many zeros and a one,
     * then its lower bits.
     *
     * @param lowBits 0 to 31
     */
    public void writeRice(int value, int lowBits) {
        int zeros = value >>> lowBits;
        for (; zeros >= 31; zeros -= 31) {
            write(0, 31);
        }
        write(1 << zeros, zeros + 1);
        write(value, lowBits);
    }

    /** Fills the last byte with zeros. */
    public void finish() {
        if (pendingBits > 0) {
            bytes.writeByte((int) pending);
            pending = 0;
            pendingBits = 0;
        }
    }
}
