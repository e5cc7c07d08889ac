package io.stele.sidecar.engine;

import java.util.concurrent.TimeUnit;

/**
 * A measurement of how fast a client sends one message, which holds memory until it is complete. A
 * client that is too slow is to be disconnected, because others wait for that memory.
 *
 * <p>One thread records received bytes, another one checks from time to time.
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

    // Of the thread that checks
    private long windowMessage;
    private long windowStartNanos;
    private long windowStartBytes;

    /** Records that memory for a message was taken, whose bytes follow. */
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

    /** Records that the message is complete. */
    public void end() {
        arriving = false;
    }

    /** Whether the present message has come too slowly for too long, by the checks until now. */
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
