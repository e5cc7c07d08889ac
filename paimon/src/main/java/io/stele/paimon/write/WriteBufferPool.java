package io.stele.paimon.write;

import static com.google.common.base.Preconditions.checkArgument;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.paimon.memory.MemorySegment;
import org.apache.paimon.memory.MemorySegmentPool;
import org.jspecify.annotations.Nullable;

/**
 * A bounded pool of heap pages for the write buffers of one sink, allocated when first needed and
 * reused. Confined to one thread, but for the number of allocated bytes.
 *
 * <p>Invariant: allocated bytes <= the bound.
 */
final class WriteBufferPool implements MemorySegmentPool {
    private static final int MIN_PAGE_SIZE = 4 << 10;

    private final int pageSize;
    private final int maxPages;
    private final Deque<MemorySegment> free = new ArrayDeque<>();
    private final AtomicInteger allocated = new AtomicInteger();

    /**
     * @param wantedPageSize bytes, by the table's options; pages are smaller if fewer than eight of
     *     this size fit
     */
    WriteBufferPool(long maxBytes, int wantedPageSize) {
        checkArgument(wantedPageSize > 0, "wantedPageSize must be > 0: %s", wantedPageSize);
        // A sorted buffer has pages for rows, keys and their order. Sizes are powers of two
        long ofEight = Math.max(MIN_PAGE_SIZE, Long.highestOneBit(maxBytes / 8));
        this.pageSize = (int) Math.min(wantedPageSize, ofEight);
        this.maxPages = Math.toIntExact(Math.max(8, maxBytes / pageSize));
    }

    /** The bytes of all allocated pages, including free pages. */
    long allocatedBytes() {
        return (long) allocated.get() * pageSize;
    }

    @Override
    public int pageSize() {
        return pageSize;
    }

    @Override
    public void returnAll(List<MemorySegment> memory) {
        free.addAll(memory);
    }

    @Override
    public int freePages() {
        return free.size() + maxPages - allocated.get();
    }

    @Override
    public @Nullable MemorySegment nextSegment() {
        MemorySegment found = free.poll();
        if (found == null && allocated.get() < maxPages) {
            allocated.incrementAndGet();
            return MemorySegment.allocateHeapMemory(pageSize);
        }
        return found;
    }
}
