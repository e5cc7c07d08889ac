package io.stele.storage.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;

/**
 * Holds writes back while a shard's memory is full: they wait in order, and those beyond the limit
 * are refused as BUSY.
 *
 * <p>Invariant: writes pass in the order they came, also those that come while earlier ones are
 * being let through. Guarded by itself.
 */
final class WriteGate {
    private static final long WAITING_LIMIT_BYTES =
            64L << 20; // one frame of the wire: a client's buffer, not a second memtable

    private final String name;
    private final Executor releaser;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private boolean closed;
    private boolean releasing;

    /**
     * @param releaser runs the writes that are let through; they may block for room in the log
     */
    WriteGate(String name, Executor releaser) {
        this.name = requireNonNull(name, "name is null");
        this.releaser = requireNonNull(releaser, "releaser is null");
    }

    /**
     * Whether the write may go on now; otherwise it waits and runs later.
     *
     * @throws SteleException BUSY when too much waits already; nothing was done
     */
    synchronized boolean pass(int sizeBytes, Runnable write) {
        if (!closed && waiting.isEmpty() && !releasing) {
            return true;
        }
        if (waitingBytes + sizeBytes > WAITING_LIMIT_BYTES && !waiting.isEmpty()) {
            throw new SteleException(
                    ErrorCode.BUSY,
                    "Expected at most %d bytes waiting to be written to shard %s, found %d; flushes are behind"
                            .formatted(WAITING_LIMIT_BYTES, name, waitingBytes + sizeBytes));
        }
        waiting.add(new Waiting(sizeBytes, write));
        waitingBytes += sizeBytes;
        return false;
    }

    /** Lets nothing through from now on, or everything that waits and comes. */
    void setClosed(boolean newClosed) {
        synchronized (this) {
            closed = newClosed;
            if (closed || releasing || waiting.isEmpty()) {
                return;
            }
            releasing = true;
        }
        releaser.execute(this::release);
    }

    synchronized boolean isClosed() {
        return closed;
    }

    synchronized long waitingBytes() {
        return waitingBytes;
    }

    private void release() {
        while (true) {
            Waiting next;
            synchronized (this) {
                next = closed ? null : waiting.poll();
                if (next == null) {
                    releasing = false;
                    return;
                }
                waitingBytes -= next.sizeBytes();
            }
            next.write().run();
        }
    }

    private record Waiting(int sizeBytes, Runnable write) {}
}
