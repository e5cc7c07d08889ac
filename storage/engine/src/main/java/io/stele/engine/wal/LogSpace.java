package io.stele.engine.wal;

import io.stele.protocol.SteleException;

/**
 * The space of a log: what it takes, and what its file system has left for it.
 *
 * @param usedBytes bytes of all segments
 * @param usableBytes bytes that records can still have, without what is left free for marks; {@link
 *     Long#MAX_VALUE} where the medium has no limit, or none that is known
 * @param isFull whether records wait for space
 */
public record LogSpace(long usedBytes, long usableBytes, boolean isFull) {
    /**
     * Writers are stopped while less than this is left, or less than a quarter of what the log can
     * have at all: two segments of the usual size, so that a large record and the next segment
     * still fit.
     */
    private static final long RESERVED_BYTES = 128L << 20;

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
     * How far the space is used up: at or below 0 there is enough, from 1 on writers must stop, and
     * between them they are slowed.
     */
    public double shortage() {
        if (usableBytes == Long.MAX_VALUE) {
            return 0;
        }
        double reserved = reservedBytes();
        // Also where a record waits that is larger than what is reserved.
        return isFull || reserved == 0 ? 1 : Math.max(0, (2 * reserved - usableBytes) / reserved);
    }

    private double reservedBytes() {
        return Math.min(RESERVED_BYTES, ((double) usedBytes + usableBytes) / 4);
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
        long freeBytes = (long) (usableBytes - reservedBytes());
        if (bytes > freeBytes) {
            throw SteleException.busy(
                    "Expected room for %d bytes in the write-ahead log, found %d bytes that its disk has left for them: flushes have not made room yet, or the disk is too small"
                            .formatted(bytes, Math.max(0, freeBytes)),
                    RETRY_MILLIS);
        }
    }

    /** Whether writers must stop until segments are deleted. */
    public boolean isShort() {
        return shortage() >= 1;
    }
}
