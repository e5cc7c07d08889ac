package io.stele.engine.wal;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Locale;

/**
 * The options of a node log: the sizes of its segments, groups, queue and records, and the pause
 * between groups.
 *
 * @param segmentBytes size after which a new segment begins; a segment is longer by at most one
 *     group
 * @param groupBytes a group accepts no further record once it has this many payload bytes, so it is
 *     longer by at most one record
 * @param queueBytes payload bytes that may wait for the log, and again as many for held shards;
 *     appending blocks beyond
 * @param recordBytes the largest payload of one record
 * @param reservedBytes space on the log's disk that records leave free, for writes that make room:
 *     marks, new segments and the ends of transactions. Other records wait while no more space is
 *     free
 * @param pause the least time between a group and the next one, unless the next one is full, for
 *     stores where each group costs money; only for logs with a log thread
 */
public record LogOptions(
        long segmentBytes,
        int groupBytes,
        long queueBytes,
        int recordBytes,
        long reservedBytes,
        Duration pause) {
    /** Offsets within a segment are 32-bit; a segment may exceed its limit by a group. */
    private static final long MAX_SEGMENT_BYTES = 1L << 30;

    private static final long MARKS_BYTES = 4L << 20;

    /**
     * 64 MiB segments, so that trimming frees space in small steps; 4 MiB groups, about what a disk
     * writes in the time of one fsync; 128 MiB waiting; 80 MiB records: a batch of 64 MiB and what
     * the engine puts around it.
     */
    public static final LogOptions DEFAULT = new LogOptions(64 << 20, 4 << 20, 128 << 20, 80 << 20);

    /** Options with the usual reserve. */
    public LogOptions(
            long segmentBytes, int groupBytes, long queueBytes, int recordBytes, Duration pause) {
        this(segmentBytes, groupBytes, queueBytes, recordBytes, MARKS_BYTES, pause);
    }

    /** Options with the usual reserve, without pauses. */
    public LogOptions(long segmentBytes, int groupBytes, long queueBytes, int recordBytes) {
        this(segmentBytes, groupBytes, queueBytes, recordBytes, Duration.ZERO);
    }

    public LogOptions {
        requireNonNull(pause, "pause is null");
        check(!pause.isNegative(), "pause", "0 or more", pause.toMillis());
        check(
                segmentBytes > 0 && segmentBytes <= MAX_SEGMENT_BYTES,
                "segmentBytes",
                "1 to 1 GiB",
                segmentBytes);
        check(groupBytes > 0 && groupBytes <= 64 << 20, "groupBytes", "1 to 64 MiB", groupBytes);
        check(queueBytes > 0, "queueBytes", "more than 0", queueBytes);
        check(
                recordBytes > 0 && recordBytes <= 256 << 20,
                "recordBytes",
                "1 to 256 MiB",
                recordBytes);
        check(reservedBytes >= 0, "reservedBytes", "0 or more", reservedBytes);
    }

    private static void check(boolean valid, String name, String expected, long found) {
        if (!valid) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT, "Expected %s to be %s, found %d", name, expected, found));
        }
    }
}
