package io.stele.objectstore.retrieval;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * A pool of reusable off-heap buffers for hedges and large reads, in sizes of powers of two, with
 * one limit for lent and idle buffers. Thread-safe, guarded by itself.
 *
 * <p>Invariant: lentBytes <= allocatedBytes <= maxBytes.
 */
final class BufferPool {
    private static final int MIN_BYTES = 64 << 10;
    private static final int CLASSES = 11; // to 64 MiB

    private final long maxBytes;
    private final List<Deque<ByteBuffer>> idle = new ArrayList<>();
    private long allocatedBytes;
    private long lentBytes;

    BufferPool(long maxBytes) {
        if (maxBytes < 0) {
            throw new IllegalArgumentException("Expected at least 0 bytes, found " + maxBytes);
        }
        this.maxBytes = maxBytes;
        for (int i = 0; i < CLASSES; i++) {
            idle.add(new ArrayDeque<>());
        }
    }

    /** A buffer with {@code length} bytes remaining; empty if the limit does not allow it. */
    synchronized Optional<ByteBuffer> take(int length) {
        int number = sizeClass(length);
        if (number >= CLASSES) {
            return Optional.empty();
        }
        ByteBuffer found = idle.get(number).pollLast();
        if (found == null) {
            long size = sizeBytes(number);
            if (!makeRoom(size)) {
                return Optional.empty();
            }
            try {
                found = ByteBuffer.allocateDirect((int) size);
            } catch (OutOfMemoryError e) {
                return Optional.empty(); // the process has no off-heap memory left
            }
            allocatedBytes += size;
        }
        lentBytes += sizeBytes(number);
        return Optional.of(found.clear().limit(length));
    }

    /** Drops idle buffers, which the garbage collector frees, until {@code size} bytes fit. */
    private boolean makeRoom(long size) {
        for (int number = CLASSES - 1; number >= 0; number--) {
            while (allocatedBytes + size > maxBytes && idle.get(number).pollFirst() != null) {
                allocatedBytes -= sizeBytes(number);
            }
        }
        return allocatedBytes + size <= maxBytes;
    }

    /** Takes back a buffer that is not used any more. */
    synchronized void giveBack(ByteBuffer buffer) {
        int number = sizeClass(buffer.capacity());
        lentBytes -= sizeBytes(number);
        idle.get(number).addLast(buffer);
    }

    synchronized long lentBytes() {
        return lentBytes;
    }

    synchronized long allocatedBytes() {
        return allocatedBytes;
    }

    private static int sizeClass(int length) {
        int units = Math.ceilDiv(Math.max(1, length), MIN_BYTES);
        return units == 1 ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(units - 1);
    }

    private static long sizeBytes(int number) {
        return (long) MIN_BYTES << number;
    }
}
