package io.stele.cache.page.segment;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A pool of off-heap buffers for the page cache's reads and writes of blocks. At most {@value
 * #MAX_BUFFERS} exist; while all are in use, callers receive heap buffers.
 *
 * <p>Thread-safe.
 */
final class ScratchBuffers {
    /** 16 MiB in all with groups of 264 KiB; a power of two. */
    static final int MAX_BUFFERS = 64;

    private static final int PROBES = 8;

    private final int bytes;
    private final AtomicReferenceArray<ByteBuffer> free = new AtomicReferenceArray<>(MAX_BUFFERS);
    private final AtomicInteger created = new AtomicInteger();

    ScratchBuffers(int bytes) {
        this.bytes = bytes;
    }

    /** A buffer of the pool's size, which the caller returns by {@link #give}. */
    ByteBuffer take() {
        int start = (int) Thread.currentThread().threadId();
        for (int i = 0; i < PROBES; i++) {
            ByteBuffer buffer = free.getAndSet(start + i & MAX_BUFFERS - 1, null);
            if (buffer != null) {
                return buffer;
            }
        }
        return created.getAndUpdate(count -> Math.min(count + 1, MAX_BUFFERS)) < MAX_BUFFERS
                ? ByteBuffer.allocateDirect(bytes)
                : ByteBuffer.allocate(bytes);
    }

    void give(ByteBuffer buffer) {
        if (!buffer.isDirect()) {
            return;
        }
        buffer.clear();
        int start = (int) Thread.currentThread().threadId();
        for (int i = 0; i < MAX_BUFFERS; i++) {
            if (free.compareAndSet(start + i & MAX_BUFFERS - 1, null, buffer)) {
                return;
            }
        }
    }
}
