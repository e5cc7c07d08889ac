package io.stele.paimon.store;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ObjectReader;
import java.io.EOFException;
import java.io.IOException;
import java.util.Objects;
import org.apache.paimon.fs.SeekableInputStream;
import org.apache.paimon.fs.VectoredReadable;

/**
 * Paimon's input stream over one immutable file of known size, with a window that is read ahead.
 * The window grows in sequential reads, and is small again after a jump. {@link #pread} bypasses
 * the window and is thread-safe; the other methods are confined to one thread at a time.
 */
final class LakeInputStream extends SeekableInputStream implements VectoredReadable {
    /** A footer, or a block of an index. */
    private static final int FIRST_WINDOW_BYTES = 64 << 10;

    /** 4 MiB: a request of this size costs an object store little more than its bytes. */
    private static final int LAST_WINDOW_BYTES = 4 << 20;

    private final ObjectReader reader;
    private final long sizeBytes;
    private long position;
    private byte[] window = new byte[0];
    private long windowStart;
    private int windowBytes = FIRST_WINDOW_BYTES;

    LakeInputStream(ObjectReader reader, long sizeBytes) {
        this.reader = requireNonNull(reader, "reader is null");
        this.sizeBytes = sizeBytes;
    }

    @Override
    public void seek(long desired) throws IOException {
        if (desired < 0 || desired > sizeBytes) {
            throw new EOFException(
                    "Expected a position from 0 to %s, found %s".formatted(sizeBytes, desired));
        }
        position = desired;
    }

    @Override
    public long getPos() {
        return position;
    }

    @Override
    public int read() throws IOException {
        if (position >= sizeBytes) {
            return -1;
        }
        int at = windowOffset();
        position++;
        return window[at] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, buffer.length);
        if (length == 0) {
            return 0;
        }
        if (position >= sizeBytes) {
            return -1;
        }
        long left = sizeBytes - position;
        if (!isInWindow() && length >= nextWindowBytes()) {
            int count = (int) Math.min(length, left);
            reader.read(position, buffer, offset, count);
            position += count;
            return count;
        }
        int at = windowOffset();
        int count = Math.min(length, window.length - at);
        System.arraycopy(window, at, buffer, offset, count);
        position += count;
        return count;
    }

    private boolean isInWindow() {
        return position >= windowStart && position < windowStart + window.length;
    }

    private int nextWindowBytes() {
        boolean goesOn = window.length > 0 && position == windowStart + window.length;
        return goesOn ? Math.min(2 * windowBytes, LAST_WINDOW_BYTES) : FIRST_WINDOW_BYTES;
    }

    /** The offset of the position in the window; reads a new window if the position is outside. */
    private int windowOffset() throws IOException {
        if (!isInWindow()) {
            int next = nextWindowBytes();
            byte[] read = reader.read(position, (int) Math.min(next, sizeBytes - position));
            windowBytes = next;
            window = read;
            windowStart = position;
        }
        return (int) (position - windowStart);
    }

    @Override
    public long skip(long count) {
        long skipped = Math.max(0, Math.min(count, sizeBytes - position));
        position += skipped;
        return skipped;
    }

    @Override
    public int available() {
        return isInWindow() ? (int) (windowStart + window.length - position) : 0;
    }

    @Override
    public int pread(long at, byte[] buffer, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (at >= sizeBytes) {
            return -1;
        }
        int count = (int) Math.min(length, sizeBytes - at);
        reader.read(at, buffer, offset, count);
        return count;
    }

    @Override
    public void close() {
        window = new byte[0];
    }
}
