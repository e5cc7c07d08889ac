package io.stele.engine.wal;

import io.stele.protocol.SteleException;

/**
 * The space of a log: what it takes, and what its file system has left for it.
 *
 * @param usedBytes bytes of all segments
 * @param usableBytes bytes that records can still have beside those that wait to be written,
 *     without what is left free for marks; {@link Long#MAX_VALUE} where the medium has no limit, or
 *     none that is known
 * @param isFull whether some record has waited for space since there was more the last time
 */
public record LogSpace(long usedBytes, long usableBytes, boolean isFull) {
    /**
     * Writers are stopped while less than this is left, or, where that is smaller, less than a
     * quarter of what the log can have at all: two segments of the usual size, so that a large
     * record and the next segment still fit.
     */
    private static final long STOP_BYTES = 128L << 20;

    private static final long RETRY_MILLIS = 500; // a tick of the maintenance

    /** No limit. */
    public static final LogSpace UNLIMITED = new LogSpace(0, Long.MAX_VALUE, false);

    public LogSpace {
        if (usedBytes < 0 || usableBytes < 0) {
            throw new IllegalArgumentException(
                    "Expected 0 bytes or more, found %d used and %d usable"
                            .formatted(usedBytes, usableBytes));
        }
    }

    /**
     * How far the space is used up: at 0 there is enough, from 1 on writers must stop, and between
     * them they are slowed.
     */
    public double shortage() {
        if (usableBytes == Long.MAX_VALUE) {
            return 0;
        }
        double stop = stopBytes();
        return stop == 0 ? 1 : Math.max(0, (2 * stop - usableBytes) / stop);
    }

    private double stopBytes() {
        return Math.min(STOP_BYTES, ((double) usedBytes + usableBytes) / 4);
    }

    /**
     * For writes that do not pass the gates of shards, so that one of them does not stop the log
     * for all others.
     *
     * @param bytes that are to be logged
     * @throws SteleException BUSY if less is left for them
     */
    public void checkRoom(long bytes) {
        if (usableBytes == Long.MAX_VALUE || bytes == 0) {
            return;
        }
        long freeBytes = (long) (usableBytes - stopBytes());
        if (bytes > freeBytes) {
            throw SteleException.busy(
                    "Expected room for %d bytes in the write-ahead log, found %d bytes that its disk has left for them: flushes have not made room yet, or the disk is too small"
                            .formatted(bytes, Math.max(0, freeBytes)),
                    RETRY_MILLIS);
        }
    }

    /**
     * Whether segments should go as soon as they can: writers stop, or one waits that is larger
     * than what is left.
     */
    public boolean isShort() {
        return isFull || shortage() >= 1;
    }
}
