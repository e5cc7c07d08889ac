package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The admission control of requests to a remote store: a first-come, first-served queue with limits
 * on requests in flight, bytes in flight and bandwidth.
 *
 * <p>One request may always be in flight, however large. Small requests are admitted beyond the
 * request limit that follows from the network, because they do not fill it. A reader of many small
 * ranges waits for their latency, and under that limit it would wait several times.
 *
 * <p>Thread-safe: guarded by its own lock, under which only the clock and the limit are called.
 *
 * <p>Invariant: requests >= 0, bytes >= 0, and both are 0 when every ticket has been returned.
 */
final class Admission {
    /** 32 MiB: about the bytes that a network of 10 Gbit/s carries in the 30 ms of a request. */
    static final long SMALL_BYTES = 32 << 20;

    private final IntSupplier usualRequests;
    private final int maxRequests;
    private final long maxBytes;
    private final BandwidthLimit bandwidth;
    private final LongSupplier nanoTime;
    private final Timers timers;
    private final Executor executor;
    private final Deque<Ticket> waiting = new ArrayDeque<>();
    private int requests;
    private long bytes;
    private boolean wakes;

    /**
     * @param usualRequests the present limit of requests in flight, read whenever a request may
     *     begin
     * @param maxRequests the limit of small requests in flight, while all together have at most
     *     {@link #SMALL_BYTES}
     * @param maxBytes in flight
     * @param executor runs requests that had to wait
     */
    Admission(
            IntSupplier usualRequests,
            int maxRequests,
            long maxBytes,
            BandwidthLimit bandwidth,
            LongSupplier nanoTime,
            Timers timers,
            Executor executor) {
        this.usualRequests = requireNonNull(usualRequests, "usualRequests is null");
        this.maxRequests = maxRequests;
        this.maxBytes = maxBytes;
        this.bandwidth = requireNonNull(bandwidth, "bandwidth is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.timers = requireNonNull(timers, "timers is null");
        this.executor = requireNonNull(executor, "executor is null");
    }

    /** A place in the queue, then a request in flight. */
    final class Ticket {
        private final long size;
        private final Runnable start;
        private boolean admitted;
        private boolean over;

        private Ticket(long size, Runnable start) {
            this.size = size;
            this.start = start;
        }

        /** Returns the permit in any state; further calls do nothing. */
        void giveBack() {
            synchronized (Admission.this) {
                if (over) {
                    return;
                }
                over = true;
                if (admitted) {
                    requests--;
                    bytes -= size;
                } else {
                    waiting.remove(this);
                }
            }
            admit(null);
        }
    }

    /**
     * Runs {@code start} as soon as {@code size} bytes may be requested: at once in this thread, or
     * else later in the executor.
     */
    Ticket enter(long size, Runnable start) {
        Ticket ticket = new Ticket(size, start);
        synchronized (this) {
            waiting.addLast(ticket);
        }
        admit(ticket);
        return ticket;
    }

    private void admit(@Nullable Ticket own) {
        for (Ticket ticket : takeAdmitted()) {
            if (ticket == own) {
                ticket.start.run();
            } else {
                executor.execute(ticket.start);
            }
        }
    }

    private synchronized List<Ticket> takeAdmitted() {
        List<Ticket> admitted = new ArrayList<>(1);
        while (!waiting.isEmpty()) {
            Ticket next = waiting.getFirst();
            if (!fits(next) || mustWait()) {
                break;
            }
            waiting.removeFirst();
            bandwidth.take(next.size);
            next.admitted = true;
            requests++;
            bytes += next.size;
            admitted.add(next);
        }
        return admitted;
    }

    private boolean fits(Ticket next) {
        if (requests == 0) {
            return true;
        }
        long together = bytes + next.size;
        boolean isSmall = together <= SMALL_BYTES && requests < maxRequests;
        return together <= maxBytes && (isSmall || requests < usualRequests.getAsInt());
    }

    private boolean mustWait() {
        long waitNanos = bandwidth.waitNanos(nanoTime.getAsLong());
        if (waitNanos > 0 && !wakes) {
            wakes = true;
            timers.schedule(waitNanos, this::wake);
        }
        return waitNanos > 0;
    }

    private void wake() {
        synchronized (this) {
            wakes = false;
        }
        admit(null);
    }

    synchronized int requests() {
        return requests;
    }

    synchronized long bytes() {
        return bytes;
    }

    synchronized int waiting() {
        return waiting.size();
    }
}
