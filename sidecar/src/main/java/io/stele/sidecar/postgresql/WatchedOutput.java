package io.stele.sidecar.postgresql;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.function.LongConsumer;

/**
 * The output of a PostgreSQL connection, which reports since when it waits for its client to
 * receive bytes.
 */
final class WatchedOutput extends FilterOutputStream {
    private static final int PART_BYTES = 64 << 10;

    private final LongConsumer waitingSinceNanos;

    /**
     * @param waitingSinceNanos receives the time in nanoseconds before each write, and 0 after it
     */
    WatchedOutput(OutputStream out, LongConsumer waitingSinceNanos) {
        super(out);
        this.waitingSinceNanos = waitingSinceNanos;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        for (int at = 0; at < length; at += PART_BYTES) {
            waitingSinceNanos.accept(Math.max(System.nanoTime(), 1));
            try {
                out.write(bytes, offset + at, Math.min(PART_BYTES, length - at));
            } finally {
                waitingSinceNanos.accept(0);
            }
        }
    }
}
