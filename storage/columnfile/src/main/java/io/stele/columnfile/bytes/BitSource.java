package io.stele.columnfile.bytes;

/**
 * A decoder of bit fields and Rice codes that a {@link BitSink} wrote, from bytes whose checksum
 * was verified. A value that runs past the end of the bytes is reported as corruption of the file.
 * Confined to one thread.
 */
public final class BitSource {
    private final String path;
    private final long fileOffset;
    private final byte[] bytes;
    private final int end;
    private int position;
    private long pending;
    private int pendingBits;

    /**
     * @param fileOffset of the start of the block that contains the bytes, for messages
     */
    public BitSource(String path, long fileOffset, byte[] bytes, int offset, int end) {
        this.path = path;
        this.fileOffset = fileOffset;
        this.bytes = bytes;
        this.position = offset;
        this.end = end;
    }

    /**
     * @param bits 0 to 32
     */
    public int read(int bits) {
        if (pendingBits < bits) {
            fill(bits);
        }
        int value = (int) (pending & ((1L << bits) - 1));
        pending >>>= bits;
        pendingBits -= bits;
        return value;
    }

    /**
     * @param lowBits the same number as in {@link BitSink#writeRice}
     * @param most the greatest valid value; larger values are reported as corruption
     */
    public int readRice(int lowBits, int most) {
        int upper = 0;
        while (true) {
            if (pendingBits == 0) {
                fill(1);
            }
            int zeros = Math.min(Long.numberOfTrailingZeros(pending), pendingBits);
            upper += zeros;
            if (upper > most >>> lowBits) {
                throw Corruption.mismatch(path, fileOffset, "number of at most", most, "more");
            }
            if (zeros < pendingBits) {
                pending >>>= zeros + 1;
                pendingBits -= zeros + 1;
                break;
            }
            pending = 0;
            pendingBits = 0;
        }
        int value = (upper << lowBits) | read(lowBits);
        if (value > most) {
            throw Corruption.mismatch(path, fileOffset, "number of at most", most, value);
        }
        return value;
    }

    /** Checks that all bytes were read, and that only zeros fill the last one. */
    public void requireEnd() {
        if (position != end || pendingBits >= 8 || pending != 0) {
            throw Corruption.mismatch(
                    path,
                    fileOffset,
                    "unread bits of at most",
                    7,
                    8 * (end - position) + pendingBits);
        }
    }

    /** Loads bytes until at least {@code bits} bits are pending. */
    private void fill(int bits) {
        while (pendingBits <= 48 && position < end) {
            pending |= (bytes[position++] & 0xffL) << pendingBits;
            pendingBits += 8;
        }
        if (pendingBits < bits) {
            throw Corruption.mismatch(path, fileOffset, "bits left of at least", bits, pendingBits);
        }
    }
}
