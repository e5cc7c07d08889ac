package io.stele.columnfile.orc.write;

import io.stele.columnfile.orc.WrittenFileMetadata;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Objects;

/**
 * An output stream that forwards all bytes of a new column file and retains the last {@link
 * #MAX_BYTES}, from which the file is opened without a read. Confined to one thread.
 */
final class LastBytes extends FilterOutputStream {
    static final int MAX_BYTES = WrittenFileMetadata.MAX_LAST_BYTES;

    private final byte[] ring = new byte[MAX_BYTES];
    private long written;

    LastBytes(OutputStream out) {
        super(out);
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        out.write(bytes, offset, length);
        int kept = Math.min(length, MAX_BYTES);
        long position = written + length - kept;
        int from = offset + length - kept;
        for (int done = 0; done < kept; ) {
            int at = (int) ((position + done) % MAX_BYTES);
            int count = Math.min(kept - done, MAX_BYTES - at);
            System.arraycopy(bytes, from + done, ring, at, count);
            done += count;
        }
        written += length;
    }

    /** All written bytes, or the retained last ones. */
    byte[] bytes() {
        if (written <= MAX_BYTES) {
            return Arrays.copyOf(ring, (int) written);
        }
        int start = (int) (written % MAX_BYTES);
        byte[] last = new byte[MAX_BYTES];
        System.arraycopy(ring, start, last, 0, MAX_BYTES - start);
        System.arraycopy(ring, 0, last, MAX_BYTES - start, start);
        return last;
    }

    /** The last {@code length} bytes; at most those that are retained. */
    byte[] bytes(int length) {
        byte[] all = bytes();
        return Arrays.copyOfRange(all, all.length - length, all.length);
    }
}
