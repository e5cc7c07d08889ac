package io.stele.sidecar.engine;

import java.util.concurrent.TimeUnit;

/**
 * The pace at which a client brings one message, which holds memory until it is whole. One that is
 * too slow is to be disconnected, since others wait for that memory.
 *
 * <p>One thread receives, another one looks from time to time.
 */
public final class ArrivalPace {
    // Longer than any pause of a living client
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(60);
    // 4 MiB a minute is half a Mbit/s, below any network that is of use here. A client that sends
    // a byte from time to time would else hold 64 MiB for years.
    private static final long MIN_WINDOW_BYTES = 4 << 20;

    // Written by the thread that receives
    private volatile long begunMessages;
    private volatile long receivedBytes;
    private volatile boolean arriving;

    // Of the thread that looks
    private long windowMessage;
    private long windowStartNanos;
    private long windowStartBytes;

    /** Memory of a message was taken, and its bytes follow. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread
    public void begin() {
        begunMessages++;
        arriving = true;
    }

    /** Counts bytes, of a message or between two. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread
    public void received(long bytes) {
        receivedBytes += bytes;
    }

    /** The message is whole. */
    public void end() {
        arriving = false;
    }

    /** Whether the present message has come too slowly for too long, by looks until now. */
    public boolean isTooSlow(long nowNanos) {
        if (!arriving) {
            windowMessage = 0;
            return false;
        }
        long message = begunMessages;
        long bytes = receivedBytes;
        if (message != windowMessage) {
            windowMessage = message;
            windowStartNanos = nowNanos;
            windowStartBytes = bytes;
            return false;
        }
        if (nowNanos - windowStartNanos < WINDOW_NANOS) {
            return false;
        }
        boolean tooSlow = bytes - windowStartBytes < MIN_WINDOW_BYTES;
        windowStartNanos = nowNanos;
        windowStartBytes = bytes;
        return tooSlow;
    }
}
