package io.stele.objectstore.retrieval;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * A limit of the bytes that several holders have in memory together. Nobody waits for room: a
 * holder that is refused does without. Thread-safe, guarded by itself.
 *
 * <p>Invariant: 0 <= usedBytes <= maxBytes.
 */
public final class ByteBudget {
    private final long maxBytes;

    @GuardedBy("this")
    private long usedBytes;

    /**
     * @param maxBytes the bytes of all holders together
     */
    public ByteBudget(long maxBytes) {
        if (maxBytes < 0) {
            throw new IllegalArgumentException("Expected at least 0 bytes, found " + maxBytes);
        }
        this.maxBytes = maxBytes;
    }

    /** Takes room for some bytes; false, and nothing is taken, if there is not enough. */
    public synchronized boolean tryTake(long bytes) {
        if (bytes < 0 || bytes > maxBytes - usedBytes) {
            return false;
        }
        usedBytes += bytes;
        return true;
    }

    /** Returns room that was taken. */
    public synchronized void giveBack(long bytes) {
        if (bytes < 0 || bytes > usedBytes) {
            throw new IllegalStateException(
                    "Expected to give back at most %d bytes, found %d".formatted(usedBytes, bytes));
        }
        usedBytes -= bytes;
    }

    /** The bytes that are taken at present. */
    public synchronized long usedBytes() {
        return usedBytes;
    }
}
