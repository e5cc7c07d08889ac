package io.stele.engine.shard.write;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.SteleException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A throttle in the write path of a shard, which holds writes back while flushes and compactions
 * are behind, and while the disk of the log has no room for them. First, writes are slowed to a
 * number of bytes per second that falls as the {@link Pressure} rises; then they stop. Held writes
 * wait in order. Writes beyond the limit of waiting bytes, and writes that waited too long, are
 * refused as BUSY.
 *
 * <p>{@link #poke} releases slowed writes, and refuses those that waited too long. It is called
 * every 20 milliseconds.
 *
 * <p>Invariant: writes pass in the order of arrival, including those that arrive while earlier ones
 * are being released. Invariant: a refused write is notified ({@link HeldWrite#postponed}) before
 * any write behind it passes. Invariant: releasing writes never waits. A write for which the log
 * has no room stays at the head, since making room may need the thread that would wait.
 * Thread-safe: guarded by itself.
 */
public final class WriteGate {
    private static final long WAITING_LIMIT_BYTES =
            64L << 20; // one frame of the wire: a client's buffer, not a second memtable
    private static final long STOPPED_RETRY_MILLIS = 500; // a tick of the maintenance
    private static final long MAX_RETRY_MILLIS = 10_000; // the rate will have changed by then
    private static final double BURST_SECONDS = 0.05; // between two pokes, and some

    private final String name;
    private final Executor releaser;
    private final LongSupplier nowMillis;
    private final long maxWaitMillis;
    private final LongPredicate hasRoom;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private Pressure pressure = Pressure.NONE;
    private String cause = ""; // of the pressure, for messages
    private double allowedBytes; // while slow
    private long allowedAtMillis;
    private boolean releasing;
    private long since; // of the present pressure
    private long slowdowns;
    private long slowMillis;
    private long stops;
    private long stopMillis;
    private long heldWrites;

    /**
     * @param releaser runs the released writes
     * @param nowMillis a clock in milliseconds that never goes back
     * @param maxWaitMillis a write that was held for this long is refused
     * @param hasRoom whether the log has room for a write of that many bytes; must not wait
     */
    public WriteGate(
            String name,
            Executor releaser,
            LongSupplier nowMillis,
            long maxWaitMillis,
            LongPredicate hasRoom) {
        this.name = requireNonNull(name, "name is null");
        this.releaser = requireNonNull(releaser, "releaser is null");
        this.nowMillis = requireNonNull(nowMillis, "nowMillis is null");
        this.maxWaitMillis = maxWaitMillis;
        this.hasRoom = requireNonNull(hasRoom, "hasRoom is null");
    }

    /**
     * Whether the write may pass now; otherwise it waits and runs later, or is refused if it waited
     * too long.
     *
     * @throws SteleException BUSY when too much waits already; nothing was done, and {@link
     *     HeldWrite#postponed} was called
     */
    public synchronized boolean pass(int sizeBytes, HeldWrite write) {
        if (waiting.isEmpty() && !releasing && isAllowed(sizeBytes)) {
            return true;
        }
        if (waitingBytes + sizeBytes > WAITING_LIMIT_BYTES && !waiting.isEmpty()) {
            write.postponed();
            throw SteleException.busy(
                    "Expected at most %d bytes waiting to be written to shard %s, found %d; %s"
                            .formatted(
                                    WAITING_LIMIT_BYTES, name, waitingBytes + sizeBytes, reason()),
                    retryAfterMillis());
        }
        waiting.add(new Waiting(sizeBytes, nowMillis.getAsLong(), write));
        waitingBytes += sizeBytes;
        heldWrites++;
        return false;
    }

    /**
     * Sets the pressure, and releases writes that may pass now.
     *
     * @param newCause of the pressure, for the messages of refused writes
     */
    public void setPressure(Pressure newPressure, String newCause) {
        synchronized (this) {
            account(newPressure);
            pressure = newPressure;
            cause = newCause;
        }
        poke();
    }

    /** Releases the writes that may pass now, and refuses those that waited too long. */
    public void poke() {
        refuseLate();
        synchronized (this) {
            if (pressure.isStop() || releasing || waiting.isEmpty()) {
                return;
            }
            releasing = true;
        }
        try {
            releaser.execute(this::release);
        } catch (RejectedExecutionException full) {
            synchronized (this) {
                releasing = false; // the next poke tries again
            }
        }
    }

    public synchronized long waitingBytes() {
        return waitingBytes;
    }

    public synchronized GateStatus status() {
        account(pressure);
        return new GateStatus(
                pressure.isStop() ? 2 : pressure.isSlow() ? 1 : 0,
                slowdowns,
                slowMillis,
                stops,
                stopMillis,
                heldWrites);
    }

    private void refuseLate() {
        while (true) {
            Waiting late;
            long retryAfterMillis;
            synchronized (this) {
                late = waiting.peek();
                if (late == null || nowMillis.getAsLong() - late.sinceMillis() < maxWaitMillis) {
                    return;
                }
                waiting.remove();
                waitingBytes -= late.sizeBytes();
                late.write().postponed();
                retryAfterMillis = retryAfterMillis();
            }
            late.write()
                    .refuse(
                            SteleException.busy(
                                    "Expected shard %s to take a write within %d ms, found it held for longer; %s"
                                            .formatted(name, maxWaitMillis, reason()),
                                    retryAfterMillis));
        }
    }

    private synchronized String reason() {
        return pressure.isSlow() || pressure.isStop() ? cause : "the write-ahead log has no room";
    }

    private void release() {
        boolean passed = true;
        try {
            while (passed) {
                Waiting next = takeAllowed();
                passed = next != null && next.write().tryRun();
                if (next != null && !passed) {
                    putBack(next);
                }
            }
        } finally {
            synchronized (this) {
                releasing = false;
            }
        }
    }

    private synchronized @Nullable Waiting takeAllowed() {
        Waiting next = waiting.peek();
        if (next == null || !isAllowed(next.sizeBytes())) {
            return null;
        }
        waiting.remove();
        waitingBytes -= next.sizeBytes();
        return next;
    }

    /** The next poke tries again. */
    private synchronized void putBack(Waiting next) {
        waiting.addFirst(next);
        waitingBytes += next.sizeBytes();
        if (pressure.isSlow()) {
            allowedBytes += next.sizeBytes();
        }
    }

    /**
     * Whether a write may pass now; its bytes are deducted from the slow rate. They may overdraw
     * it, and then later writes wait longer.
     */
    private boolean isAllowed(int sizeBytes) {
        if (pressure.isStop() || !hasRoom.test(sizeBytes)) {
            return false;
        }
        if (pressure.isSlow()) {
            long now = nowMillis.getAsLong();
            double rate = pressure.bytesPerSecond();
            allowedBytes =
                    Math.min(
                            rate * BURST_SECONDS,
                            allowedBytes + rate * (now - allowedAtMillis) / 1000);
            allowedAtMillis = now;
            if (allowedBytes <= 0) {
                return false;
            }
            allowedBytes -= sizeBytes;
        }
        return true;
    }

    /**
     * Milliseconds after which a refused client may retry: while stopped, until the pressure is
     * checked again; while slowed, until all waiting writes have passed.
     */
    private synchronized long retryAfterMillis() {
        if (pressure.isStop()) {
            return STOPPED_RETRY_MILLIS;
        }
        long millis =
                pressure.isSlow() ? (long) (waitingBytes * 1000.0 / pressure.bytesPerSecond()) : 0;
        return Math.min(millis, MAX_RETRY_MILLIS);
    }

    private void account(Pressure next) {
        if (!pressure.isSlow() && !pressure.isStop() && !next.isSlow() && !next.isStop()) {
            return;
        }
        long now = nowMillis.getAsLong();
        slowMillis += pressure.isSlow() ? now - since : 0;
        stopMillis += pressure.isStop() ? now - since : 0;
        slowdowns += next.isSlow() && !pressure.isSlow() ? 1 : 0;
        stops += next.isStop() && !pressure.isStop() ? 1 : 0;
        if (next.isSlow() && !pressure.isSlow()) {
            allowedBytes = 0;
            allowedAtMillis = now;
        }
        since = now;
    }

    private record Waiting(int sizeBytes, long sinceMillis, HeldWrite write) {}
}
