package io.stele.engine.wal;

import io.stele.protocol.SteleException;

/**
 * The disk space that a node's log uses, and that its file system has left for it, as the throttle
 * of writes reads it.
 *
 * @param usedBytes bytes of all segments
 * @param usableBytes bytes that further records can have, without those of waiting records and the
 *     reserve for marks; {@link Long#MAX_VALUE} where the medium has no limit, or no known limit
 * @param isFull whether some record has waited for space since the space grew last
 */
public record LogSpace(long usedBytes, long usableBytes, boolean isFull) {
    /**
     * Writers are stopped while less than this is left, or less than a quarter of the log's used
     * and usable bytes, if that is smaller. It is two segments of the usual size, so that a large
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
     * Checks a write that does not pass the gates of shards, so that it does not stop the log for
     * all other writes.
     *
     * @param bytes the bytes that are to be logged
     * @throws SteleException BUSY when less is left for them
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
     * Whether segments should be deleted as soon as possible: writers stop, or a record waits that
     * is larger than the space left.
     */
    public boolean isShort() {
        return isFull || shortage() >= 1;
    }
}
