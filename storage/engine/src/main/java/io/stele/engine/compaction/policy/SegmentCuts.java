package io.stele.engine.compaction.policy;

import io.stele.engine.manifest.FileEntry;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The values of the segment key at which a compaction cuts its output into column files with
 * disjoint ranges, so that queries skip files (Hologres's segment key).
 *
 * <p>The cuts divide the inputs into equal parts, assuming that rows are spread evenly over the
 * range of each input; no row is read to find them. Rows without a value belong to the lowest
 * segment. Confined to one thread.
 */
public final class SegmentCuts {
    /**
     * A segment is at least this part of a full file: smaller files cost a scan more than skipping
     * them saves.
     */
    private static final int SEGMENTS_PER_FILE = 8;

    /** Limited since each segment has a writer with buffers while the compaction runs. */
    static final int MAX_SEGMENTS = 16;

    private static final SegmentCuts NONE = new SegmentCuts(null, 0, new long[0]);

    private final @Nullable ValueCodec codec;
    private final int columnIndex;
    private final long[] cuts; // ascending, unsigned; a segment starts at its cut
    private final GrowingBytes value = GrowingBytes.forStored("value");

    private SegmentCuts(@Nullable ValueCodec codec, int columnIndex, long[] cuts) {
        this.codec = codec;
        this.columnIndex = columnIndex;
        this.cuts = cuts;
    }

    /** No cuts: a single segment. */
    public static SegmentCuts none() {
        return NONE;
    }

    /**
     * The size in bytes below which files are compacted for their size, regardless of their range.
     */
    static long minSegmentBytes(long targetBytes) {
        return Math.max(1, targetBytes / SEGMENTS_PER_FILE);
    }

    /**
     * Cuts for the compaction of {@code inputs}; none if the table has no segment key.
     *
     * @param targetBytes size of a full file
     */
    public static SegmentCuts of(TableSchema table, List<FileEntry> inputs, long targetBytes) {
        List<Integer> segmentKey = table.options().segmentKey();
        if (segmentKey.isEmpty()) {
            return NONE;
        }
        int columnId = segmentKey.getFirst();
        List<SegmentSpan> spans = new ArrayList<>();
        for (FileEntry input : inputs) {
            Optional<SegmentSpan> span = SegmentSpan.of(input, columnId);
            if (span.isEmpty()) {
                return NONE;
            }
            spans.add(span.get());
        }
        return new SegmentCuts(
                ValueCodec.of(table.column(columnId).type()),
                table.indexOf(columnId),
                cuts(spans, minSegmentBytes(targetBytes)));
    }

    static long[] cuts(List<SegmentSpan> spans, long minSegmentBytes) {
        long total = spans.stream().mapToLong(SegmentSpan::bytes).sum();
        int segments = (int) Math.clamp(total / minSegmentBytes, 1, MAX_SEGMENTS);
        long low = spans.stream().mapToLong(SegmentSpan::low).reduce(SegmentCuts::lower).orElse(0);
        long high =
                spans.stream().mapToLong(SegmentSpan::high).reduce(SegmentCuts::higher).orElse(0);
        long[] cuts = new long[segments - 1];
        int count = 0;
        long previous = low;
        for (int segment = 1; segment < segments; segment++) {
            long cut = valueAt(spans, (double) total * segment / segments, previous, high);
            if (Long.compareUnsigned(cut, previous) > 0) {
                cuts[count++] = cut;
                previous = cut;
            }
        }
        return Arrays.copyOf(cuts, count);
    }

    /** The lowest value with at least {@code bytes} below it, by bisection. */
    private static long valueAt(List<SegmentSpan> spans, double bytes, long from, long to) {
        long low = from;
        long high = to;
        while (Long.compareUnsigned(low, high) < 0) {
            long middle = low + Long.divideUnsigned(high - low, 2);
            double below = 0;
            for (SegmentSpan span : spans) {
                below += span.bytesBelow(middle);
            }
            if (below < bytes) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    public int segmentCount() {
        return cuts.length + 1;
    }

    /** The segment of a row, from 0. */
    public int segment(BinaryRow row) {
        ValueCodec encoder = codec;
        if (encoder == null || cuts.length == 0 || row.isNull(columnIndex)) {
            return 0;
        }
        value.clear();
        encoder.append(row, columnIndex, value);
        long prefix = SegmentSpan.prefix(value.array(), value.length());
        int low = 0;
        int high = cuts.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Long.compareUnsigned(cuts[middle], prefix) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static long lower(long left, long right) {
        return Long.compareUnsigned(left, right) <= 0 ? left : right;
    }

    private static long higher(long left, long right) {
        return Long.compareUnsigned(left, right) >= 0 ? left : right;
    }
}
