package io.stele.sidecar.scheduling;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.SteleException;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An admission controller of scans or lookups with a limit on running requests and a bounded FIFO
 * queue. Beyond the queue a request is refused as BUSY, with the time after which to try again.
 *
 * <p>Invariant: {@code running <= maxRunning}; a request waits only while {@code running ==
 * maxRunning}. Thread-safe: guarded by its own lock, under which no future completes.
 */
public final class ReadAdmission {
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long MAX_RETRY_MILLIS = 10_000; // a longer wait would use an old estimate
    private static final int WEIGHT_OF_NEWEST = 8; // an eighth: follows a change within 20 requests

    private final String what;
    private final int maxRunning;
    private final int maxQueued;
    private final LongSupplier nanoTime;
    private final ArrayDeque<Entry> returning = new ArrayDeque<>(); // before new requests
    private final ArrayDeque<Entry> queue = new ArrayDeque<>();
    private int running;
    private long rejected;
    private long averageNanos; // from admission to release

    private record Entry(CompletableFuture<Permit> answer, Permit permit) {}

    /**
     * @param what the admitted requests and the owner of the limit, for messages
     */
    ReadAdmission(String what, int maxRunning, int maxQueued, LongSupplier nanoTime) {
        this.what = requireNonNull(what, "what is null");
        this.maxRunning = maxRunning;
        this.maxQueued = maxQueued;
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
    }

    /** The right to run. Closing it more than once has no effect. Any thread. */
    public final class Permit implements AutoCloseable {
        private boolean held; // guarded by the admission
        private boolean ended; // guarded by the admission
        private long sinceNanos; // guarded by the admission

        /**
         * Frees its place for another request, until {@link #resume}. Does nothing if it is not
         * held.
         */
        public void pause() {
            release(this, false);
        }

        /**
         * Takes a place again after {@link #pause}, before all new requests. It is never refused,
         * because it was admitted once.
         */
        public CompletableFuture<Permit> resume() {
            CompletableFuture<Permit> answer = new CompletableFuture<>();
            synchronized (ReadAdmission.this) {
                if (!held && !ended && running >= maxRunning) {
                    returning.add(new Entry(answer, this));
                    return answer;
                }
                take(this);
            }
            answer.complete(this);
            return answer;
        }

        @Override
        public void close() {
            release(this, true);
        }
    }

    /**
     * Requests a permit; the future completes when there is room. A caller that stops waiting
     * cancels the future.
     *
     * @throws SteleException BUSY, with the time after which to try again
     */
    CompletableFuture<Permit> enter() {
        CompletableFuture<Permit> answer = new CompletableFuture<>();
        Permit permit = new Permit();
        synchronized (this) {
            if (running >= maxRunning) {
                queue.removeIf(waiting -> waiting.answer().isDone());
                if (queue.size() >= maxQueued) {
                    throw busy();
                }
                queue.add(new Entry(answer, permit));
                return answer;
            }
            take(permit);
        }
        answer.complete(permit);
        return answer;
    }

    /**
     * Returns a permit as {@link #enter}, but never waits in the queue.
     *
     * @throws SteleException BUSY
     */
    synchronized Permit enterNow() {
        if (running >= maxRunning) {
            throw busy();
        }
        Permit permit = new Permit();
        take(permit);
        return permit;
    }

    synchronized int running() {
        return running;
    }

    synchronized int queued() {
        queue.removeIf(waiting -> waiting.answer().isDone());
        return queue.size() + returning.size();
    }

    /** The number of requests refused as BUSY. */
    synchronized long rejected() {
        return rejected;
    }

    private void take(Permit permit) {
        if (!permit.held && !permit.ended) {
            permit.held = true;
            permit.sinceNanos = nanoTime.getAsLong();
            running++;
        }
    }

    private void release(Permit permit, boolean forGood) {
        Entry next = null;
        synchronized (this) {
            permit.ended |= forGood;
            if (permit.held) {
                permit.held = false;
                running--;
                long nanos = nanoTime.getAsLong() - permit.sinceNanos;
                averageNanos += (nanos - averageNanos) / WEIGHT_OF_NEWEST;
            }
            next = nextEntry();
        }
        // A request that was cancelled meanwhile leaves its place to the next one.
        while (next != null && !next.answer().complete(next.permit())) {
            synchronized (this) {
                if (next.permit().held) { // its owner may have closed it by now
                    next.permit().held = false;
                    running--;
                }
                next = nextEntry();
            }
        }
    }

    /** Removes the next waiting request and admits it, if there is one and a free place. */
    private @Nullable Entry nextEntry() {
        if (running >= maxRunning) {
            return null;
        }
        Entry next = returning.isEmpty() ? queue.poll() : returning.poll();
        if (next != null) {
            take(next.permit());
        }
        return next;
    }

    private SteleException busy() {
        rejected++;
        long aheadOfIt = queue.size() + 1L;
        long nanos = averageNanos * aheadOfIt / maxRunning;
        long millis = Math.clamp(nanos / NANOS_PER_MILLI, 1, MAX_RETRY_MILLIS);
        return SteleException.busy(
                "%s: %d run and %d wait, which is the limit; retry after %d ms"
                        .formatted(what, running, queue.size(), millis),
                millis);
    }
}
