package io.stele.sidecar.scheduling;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.SteleException;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An admission controller of scans or lookups with limits on running requests and on the memory
 * that they reserve, and a bounded FIFO queue. Beyond the queue a request is refused as BUSY, with
 * the time after which to try again.
 *
 * <p>Invariant: {@code running <= maxRunning} and {@code reservedBytes <= maxBytes}; a request
 * waits only while the first one in its queue does not fit. Thread-safe: guarded by its own lock,
 * under which no future completes.
 */
public final class ReadAdmission {
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long MAX_RETRY_MILLIS = 10_000; // a longer wait would use an old estimate
    private static final int WEIGHT_OF_NEWEST = 8; // an eighth: follows a change within 20 requests

    private final String what;
    private final int maxRunning;
    private final int maxQueued;
    private final long maxBytes;
    private final LongSupplier nanoTime;
    private final ArrayDeque<Entry> returning = new ArrayDeque<>(); // before new requests
    private final ArrayDeque<Entry> queue = new ArrayDeque<>();
    private int running;
    private long reservedBytes;
    private long rejected;
    private long averageNanos; // from admission to release

    private record Entry(CompletableFuture<Permit> answer, Permit permit) {}

    /**
     * @param what the admitted requests and the owner of the limit, for messages
     * @param maxBytes the most memory that running requests reserve; {@link Long#MAX_VALUE}: no
     *     limit
     */
    ReadAdmission(
            String what, int maxRunning, int maxQueued, long maxBytes, LongSupplier nanoTime) {
        this.what = requireNonNull(what, "what is null");
        this.maxRunning = maxRunning;
        this.maxQueued = maxQueued;
        this.maxBytes = maxBytes;
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
    }

    /** The right to run. Closing it more than once has no effect. Any thread. */
    public final class Permit implements AutoCloseable {
        private final long bytes;
        private boolean held; // guarded by the admission
        private boolean ended; // guarded by the admission
        private long sinceNanos; // guarded by the admission

        private Permit(long bytes) {
            this.bytes = bytes;
        }

        /** Whether it has a place now: it is neither paused nor closed. */
        boolean isHeld() {
            synchronized (ReadAdmission.this) {
                return held;
            }
        }

        /** The memory that it reserves while it has a place. */
        long bytes() {
            return bytes;
        }

        /**
         * Frees its place and its memory for another request, until {@link #resume}. Does nothing
         * if it is not held.
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
                returning.removeIf(waiting -> waiting.answer().isDone());
                if (!held && !ended && (!returning.isEmpty() || !fits(this))) {
                    returning.add(new Entry(answer, this));
                } else {
                    take(this);
                    answer.complete(this); // nothing depends on it yet
                }
            }
            return passOnIfCancelled(answer);
        }

        @Override
        public void close() {
            release(this, true);
        }
    }

    /** Ends a request: it stops waiting, or frees its place. */
    static void leave(CompletableFuture<Permit> answer) {
        if (!answer.cancel(false) && !answer.isCompletedExceptionally()) {
            answer.join().close();
        }
    }

    /**
     * Requests a permit; the future completes when there is room. A caller that stops waiting
     * cancels the future.
     *
     * @param bytes the most memory that the request uses; if it is more than the limit, the limit
     *     is reserved, and the request runs alone
     * @throws SteleException BUSY, with the time after which to try again
     */
    CompletableFuture<Permit> enter(long bytes) {
        CompletableFuture<Permit> answer = new CompletableFuture<>();
        Permit permit = new Permit(Math.min(bytes, maxBytes));
        synchronized (this) {
            queue.removeIf(waiting -> waiting.answer().isDone());
            returning.removeIf(waiting -> waiting.answer().isDone());
            if (queue.isEmpty() && returning.isEmpty() && fits(permit)) {
                take(permit);
                answer.complete(permit); // nothing depends on it yet
            } else if (queue.size() >= maxQueued) {
                throw busy();
            } else {
                queue.add(new Entry(answer, permit));
            }
        }
        return passOnIfCancelled(answer);
    }

    /**
     * Returns a permit that reserves no memory as {@link #enter}, but never waits in the queue.
     *
     * @throws SteleException BUSY
     */
    synchronized Permit enterNow() {
        Permit permit = new Permit(0);
        if (!fits(permit)) {
            throw busy();
        }
        take(permit);
        return permit;
    }

    /** A request that gives up may have been the one that does not fit before others that do. */
    private CompletableFuture<Permit> passOnIfCancelled(CompletableFuture<Permit> answer) {
        if (!answer.isDone()) {
            answer.whenComplete(
                    (permit, failure) -> {
                        if (failure != null) {
                            admitWaiting();
                        }
                    });
        }
        return answer;
    }

    synchronized int running() {
        return running;
    }

    synchronized int queued() {
        queue.removeIf(waiting -> waiting.answer().isDone());
        return queue.size() + returning.size();
    }

    synchronized long reservedBytes() {
        return reservedBytes;
    }

    /** The most memory that running requests reserve; {@link Long#MAX_VALUE}: no limit. */
    long maxBytes() {
        return maxBytes;
    }

    /** The number of requests refused as BUSY. */
    synchronized long rejected() {
        return rejected;
    }

    private boolean fits(Permit permit) {
        return running < maxRunning && permit.bytes <= maxBytes - reservedBytes;
    }

    private void take(Permit permit) {
        if (!permit.held && !permit.ended) {
            permit.held = true;
            permit.sinceNanos = nanoTime.getAsLong();
            running++;
            reservedBytes += permit.bytes;
        }
    }

    private void giveBack(Permit permit) {
        if (permit.held) {
            permit.held = false;
            running--;
            reservedBytes -= permit.bytes;
        }
    }

    private void release(Permit permit, boolean forGood) {
        synchronized (this) {
            permit.ended |= forGood;
            if (permit.held) {
                long nanos = nanoTime.getAsLong() - permit.sinceNanos;
                averageNanos += (nanos - averageNanos) / WEIGHT_OF_NEWEST;
            }
            giveBack(permit);
        }
        admitWaiting();
    }

    /** Admits waiting requests in their order, as many as fit. */
    private void admitWaiting() {
        while (true) {
            Entry next;
            synchronized (this) {
                next = nextEntry();
            }
            if (next == null) {
                return;
            }
            // A request that was cancelled meanwhile leaves its place to the next one.
            if (!next.answer().complete(next.permit())) {
                synchronized (this) {
                    giveBack(next.permit()); // unless its owner has closed it by now
                }
            }
        }
    }

    /** Removes the next waiting request and admits it, if there is one that fits. */
    private @Nullable Entry nextEntry() {
        queue.removeIf(waiting -> waiting.answer().isDone());
        returning.removeIf(waiting -> waiting.answer().isDone());
        ArrayDeque<Entry> first = returning.isEmpty() ? queue : returning;
        Entry next = first.peek();
        if (next == null || !fits(next.permit())) {
            return null;
        }
        first.remove();
        take(next.permit());
        return next;
    }

    private SteleException busy() {
        rejected++;
        long aheadOfIt = queue.size() + 1L;
        long nanos = averageNanos * aheadOfIt / maxRunning;
        long millis = Math.clamp(nanos / NANOS_PER_MILLI, 1, MAX_RETRY_MILLIS);
        return SteleException.busy(
                "%s: %d run%s and %d wait, which is the limit; retry after %d ms"
                        .formatted(what, running, memory(), queue.size(), millis),
                millis);
    }

    private String memory() {
        return maxBytes == Long.MAX_VALUE
                ? ""
                : " with %d of %d bytes of memory".formatted(reservedBytes, maxBytes);
    }
}
