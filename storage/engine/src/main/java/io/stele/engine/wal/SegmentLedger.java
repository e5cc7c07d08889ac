package io.stele.engine.wal;

import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * An in-memory ledger of the log's existing segments: the size of each, and the first and last LSN
 * of each shard in it. It decides which segments may be deleted.
 *
 * <p>Thread-safe: guarded by itself.
 */
final class SegmentLedger {
    private final TreeMap<Long, Contents> segments = new TreeMap<>();

    private static final class Contents {
        private final Map<ShardId, Long> firstLsns = new HashMap<>();
        private final Map<ShardId, Long> lastLsns = new HashMap<>();
        private long sizeBytes;
    }

    /** A state for reports. */
    record Summary(long first, long last, long sizeBytes, Set<ShardId> firstShards) {}

    synchronized void begin(long segment) {
        segments.put(segment, new Contents());
    }

    synchronized void size(long segment, long sizeBytes) {
        contents(segment).sizeBytes = sizeBytes;
    }

    synchronized long sizeBytes(long segment) {
        return contents(segment).sizeBytes;
    }

    synchronized void add(long segment, ShardId shard, long lsn) {
        contents(segment).firstLsns.merge(shard, lsn, Math::min);
        contents(segment).lastLsns.merge(shard, lsn, Math::max);
    }

    private Contents contents(long segment) {
        Contents contents = segments.get(segment);
        if (contents == null) {
            throw new IllegalStateException(
                    String.format(Locale.ROOT, "Expected segment %d to exist", segment));
        }
        return contents;
    }

    /**
     * The oldest segment below {@code active} with a record above its shard's LSN in {@code
     * flushed}, or {@code active}. All before it may be deleted.
     */
    synchronized long lowestNeeded(Map<ShardId, Lsn> flushed, long active) {
        for (Map.Entry<Long, Contents> segment : segments.headMap(active).entrySet()) {
            if (!flushed(segment.getValue(), flushed)) {
                return segment.getKey();
            }
        }
        return active;
    }

    /** Whether a segment has records, all of which are in files. */
    synchronized boolean isFlushed(long segment, Map<ShardId, Lsn> flushed) {
        Contents contents = segments.get(segment);
        return contents != null && !contents.lastLsns.isEmpty() && flushed(contents, flushed);
    }

    private static boolean flushed(Contents contents, Map<ShardId, Lsn> flushed) {
        for (Map.Entry<ShardId, Long> last : contents.lastLsns.entrySet()) {
            if (last.getValue() > flushed.getOrDefault(last.getKey(), Lsn.MIN).value()) {
                return false;
            }
        }
        return true;
    }

    /** Whether some records of a segment are needed. */
    boolean isWanted(long segment, ReleasedRecords by) {
        Map<ShardId, Long> first;
        Map<ShardId, Long> last;
        synchronized (this) {
            first = Map.copyOf(contents(segment).firstLsns);
            last = Map.copyOf(contents(segment).lastLsns);
        }
        return last.entrySet().stream()
                .anyMatch(
                        shard ->
                                by.wants(
                                        shard.getKey(),
                                        new Lsn(first.getOrDefault(shard.getKey(), 0L)),
                                        new Lsn(shard.getValue())));
    }

    /** The existing segments below {@code segment}, ascending. */
    synchronized List<Long> below(long segment) {
        return List.copyOf(segments.headMap(segment).keySet());
    }

    synchronized void remove(long segment) {
        segments.remove(segment);
    }

    /** The last LSN of each shard over all segments. */
    synchronized Map<ShardId, Lsn> lastLsns() {
        Map<ShardId, Lsn> result = new HashMap<>();
        for (Contents contents : segments.values()) {
            contents.lastLsns.forEach(
                    (shard, lsn) ->
                            result.merge(
                                    shard, new Lsn(lsn), (a, b) -> a.compareTo(b) >= 0 ? a : b));
        }
        return result;
    }

    /** The last segment, or 0. */
    synchronized long last() {
        return segments.isEmpty() ? 0 : segments.lastKey();
    }

    synchronized Summary summary() {
        if (segments.isEmpty()) {
            return new Summary(0, 0, 0, Set.of());
        }
        long sizeBytes = 0;
        for (Contents contents : segments.values()) {
            sizeBytes += contents.sizeBytes;
        }
        return new Summary(
                segments.firstKey(),
                segments.lastKey(),
                sizeBytes,
                Set.copyOf(segments.firstEntry().getValue().lastLsns.keySet()));
    }
}
