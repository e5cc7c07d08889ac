package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * A converter of the ranges that a reader needs to requests. Near ranges become one request,
 * because a request costs more than the bytes between them. Large ranges become several requests of
 * half to all of the largest size, because the throughput of one connection is limited (AnyBlob,
 * section 2.5: 8 to 16 MiB cost least). Immutable.
 *
 * @param maxGapBytes the greatest gap between two ranges that become one request; {@link GapRule}
 *     finds it for the latencies of a store
 * @param maxRequestBytes the greatest size of a request
 */
public record RangePlanner(int maxGapBytes, int maxRequestBytes) {
    /**
     * 1 MiB: at 30 ms a request and 20 ms a MiB, one and a half MiB cost as much as a request. 16
     * MiB: beyond, a request takes longer and costs hardly less.
     */
    public static final RangePlanner DEFAULT = new RangePlanner(1 << 20, 16 << 20);

    public RangePlanner {
        if (maxGapBytes < 0 || maxRequestBytes < 1) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected a gap of at least 0 and requests of at least 1 byte, found %d and %d",
                            maxGapBytes,
                            maxRequestBytes));
        }
    }

    /**
     * A request and the wanted parts of its answer.
     *
     * @param range to request
     * @param wanted the numbers (from 0) of the wanted ranges in the request
     */
    public record Planned(ByteRange range, List<Integer> wanted) {
        public Planned {
            requireNonNull(range, "range is null");
            wanted = List.copyOf(wanted);
        }
    }

    /**
     * The requests for one range: one, or several of nearly the same length, each at least half of
     * {@code maxRequestBytes}.
     */
    public List<ByteRange> split(ByteRange range) {
        if (range.length() <= maxRequestBytes) {
            return List.of(range);
        }
        int count = Math.ceilDiv(range.length(), maxRequestBytes);
        List<ByteRange> pieces = new ArrayList<>(count);
        long at = range.offset();
        for (int left = count; left > 0; left--) {
            int length = Math.toIntExact(Math.ceilDiv(range.end() - at, left));
            pieces.add(new ByteRange(at, length));
            at += length;
        }
        return pieces;
    }

    /**
     * Joins ranges that are near each other, in order of their offsets, up to the greatest size of
     * a request. A longer range stays alone, to be {@link #split}.
     */
    public List<Planned> merge(List<ByteRange> wanted) {
        List<Integer> order = new ArrayList<>(wanted.size());
        for (int i = 0; i < wanted.size(); i++) {
            order.add(i);
        }
        order.sort(Comparator.comparingLong(number -> wanted.get(number).offset()));
        List<Planned> planned = new ArrayList<>();
        List<Integer> members = new ArrayList<>();
        long start = 0;
        long end = 0;
        for (int number : order) {
            ByteRange next = wanted.get(number);
            boolean joins =
                    !members.isEmpty()
                            && next.offset() - end <= maxGapBytes
                            && Math.max(end, next.end()) - start
                                    <= Math.max(maxRequestBytes, end - start);
            if (!joins) {
                add(planned, start, end, members);
                members.clear();
                start = next.offset();
                end = next.end();
            }
            members.add(number);
            end = Math.max(end, next.end());
        }
        add(planned, start, end, members);
        return planned;
    }

    private static void add(List<Planned> planned, long start, long end, List<Integer> members) {
        if (!members.isEmpty()) {
            planned.add(new Planned(new ByteRange(start, Math.toIntExact(end - start)), members));
        }
    }
}
