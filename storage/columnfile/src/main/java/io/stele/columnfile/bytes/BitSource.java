package io.stele.columnfile.bytes;

/**
 * A decoder of the bits that a {@link BitSink} wrote, from bytes whose checksum was verified. A
 * value that runs past their end is reported as corruption of the file. Confined to one thread.
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
     * @param fileOffset where the block that holds the bytes begins in its file, for messages
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
     * @param lowBits as it was written with
     * @param most larger values are corrupt
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

    /** Checks that all bytes were read, and that nothing but zeros fills the last one. */
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

    /** Takes bytes while there is room, so that there are as many bits at least. */
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
