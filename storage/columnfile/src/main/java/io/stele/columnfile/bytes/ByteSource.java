package io.stele.columnfile.bytes;

import java.util.Arrays;

/**
 * A decoder of consecutive values of block files from a byte array whose checksum was verified. A
 * value that runs past the end, or a varint of more than ten bytes, is reported as corruption of
 * the file. Confined to one thread.
 */
public final class ByteSource {
    private final String path;
    private final long fileOffset;
    private final byte[] bytes;
    private final int end;
    private int position;

    /**
     * @param fileOffset of the start of the block that contains the bytes, for messages
     */
    public ByteSource(String path, long fileOffset, byte[] bytes) {
        this(path, fileOffset, bytes, 0, bytes.length);
    }

    public ByteSource(String path, long fileOffset, byte[] bytes, int offset, int end) {
        this.path = path;
        this.fileOffset = fileOffset;
        this.bytes = bytes;
        this.position = offset;
        this.end = end;
    }

    public boolean hasRemaining() {
        return position < end;
    }

    public int remaining() {
        return end - position;
    }

    public int readByte() {
        require(1);
        return bytes[position++] & 0xff;
    }

    int readInt() {
        require(4);
        int value = LittleEndian.getInt(bytes, position);
        position += 4;
        return value;
    }

    public long readLong() {
        require(8);
        long value = LittleEndian.getLong(bytes, position);
        position += 8;
        return value;
    }

    public byte[] readBytes(int length) {
        require(length);
        byte[] value = Arrays.copyOfRange(bytes, position, position + length);
        position += length;
        return value;
    }

    public byte[] readSizedBytes() {
        return readBytes(readVarint32("length"));
    }

    public long readVarint() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            int next = readByte();
            value |= (long) (next & 0x7f) << shift;
            if (next < 0x80) {
                return value;
            }
        }
        throw Corruption.mismatch(path, fileOffset, "varint of at most", "10 bytes", "more");
    }

    /** A varint that must be in {@code [0, 2^31)}. */
    public int readVarint32(String what) {
        long value = readVarint();
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw Corruption.mismatch(path, fileOffset, what + " in", "[0, 2^31)", value);
        }
        return (int) value;
    }

    /** Checks that all bytes were read, because surplus bytes are corruption, too. */
    public void requireEnd() {
        if (position != end) {
            throw Corruption.mismatch(path, fileOffset, "unread bytes", 0, end - position);
        }
    }

    private void require(int length) {
        if (length < 0 || end - position < length) {
            throw Corruption.mismatch(
                    path, fileOffset, "bytes left of at least", length, end - position);
        }
    }
}
