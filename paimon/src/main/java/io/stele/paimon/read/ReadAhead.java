package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ObjectReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * A prefetcher of the ranges of a file that a scan will read, which merges near ranges and fetches
 * them ahead of the scan. Confined to one thread.
 *
 * <p>Invariant: no more than {@link #WINDOW_BYTES} after the last read, and one range, are asked
 * for.
 */
final class ReadAhead {
    /** Enough to cover the latency of a store at the speed of one scan. */
    static final long WINDOW_BYTES = 32 << 20;

    /** Below this size, the bytes between two ranges cost less than a request. */
    private static final long MAX_GAP_BYTES = 64 << 10;

    /** A larger range is fetched by several requests, which run at once. */
    private static final long MAX_RANGE_BYTES = 8 << 20;

    private final ObjectReader file;
    private final Deque<Range> pending = new ArrayDeque<>(); // in the order of the file

    ReadAhead(ObjectReader file) {
        this.file = requireNonNull(file, "file is null");
    }

    /** A range of the file. */
    record Range(long offset, long length) {
        long end() {
            return offset + length;
        }
    }

    /** Adds ranges, in any order, all of which lie after the ranges that were added before. */
    void plan(List<Range> ranges) {
        if (ranges.isEmpty() || !file.isPrefetching()) {
            return;
        }
        pending.addAll(merged(ranges));
        advance(pending.getFirst().offset());
    }

    /** Starts at once to fetch ranges, which should be small and may lie anywhere in the file. */
    void fetch(List<Range> ranges) {
        if (file.isPrefetching()) {
            merged(ranges).forEach(range -> file.prefetch(range.offset(), range.length()));
        }
    }

    /**
     * Notes that the scan reads at a position, and starts to fetch ranges in the window after it.
     */
    void advance(long position) {
        while (!pending.isEmpty() && pending.getFirst().offset() <= position + WINDOW_BYTES) {
            Range range = pending.removeFirst();
            for (long at = range.offset(); at < range.end(); at += MAX_RANGE_BYTES) {
                file.prefetch(at, Math.min(MAX_RANGE_BYTES, range.end() - at));
            }
        }
    }

    private static List<Range> merged(List<Range> ranges) {
        List<Range> sorted = new ArrayList<>(ranges);
        sorted.sort(Comparator.comparingLong(Range::offset));
        List<Range> merged = new ArrayList<>();
        for (Range range : sorted) {
            Range last = merged.isEmpty() ? null : merged.getLast();
            if (last != null && range.offset() <= last.end() + MAX_GAP_BYTES) {
                long end = Math.max(last.end(), range.end());
                merged.set(merged.size() - 1, new Range(last.offset(), end - last.offset()));
            } else {
                merged.add(range);
            }
        }
        return merged;
    }
}
