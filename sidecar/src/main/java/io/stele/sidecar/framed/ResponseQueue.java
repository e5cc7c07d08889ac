package io.stele.sidecar.framed;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.wire.FramePayload;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.FrameWriter;
import java.io.IOException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The replies of one connection, in the order in which they complete. Any thread adds, never
 * waiting; one thread writes everything that is queued, flushes once, and parks. So replies that
 * complete together are sent in one packet, and a slow client never holds up the log. A thread that
 * may wait for the client can write its own reply at once, without waking the other one.
 *
 * <p>Its size is bounded by the limit on unanswered requests of the connection, whose permits are
 * returned when a reply is flushed.
 */
final class ResponseQueue {
    /**
     * The memory of a reply of at least this size is returned before the next reply is written,
     * because others wait for it.
     */
    private static final int LARGE_BYTES = 256 << 10;

    private final FrameWriter writer;
    private final LongSupplier nanoTime;
    private final ConcurrentLinkedQueue<Response> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queuedCount = new AtomicInteger();
    private final ReentrantLock writing = new ReentrantLock(); // held to use the writer
    private volatile @Nullable Thread consumer;
    private volatile boolean closed;
    private volatile boolean finished;
    // 0 while nothing is being written; else when the present write began.
    private volatile long writeStartNanos;

    ResponseQueue(FrameWriter writer, LongSupplier nanoTime) {
        this.writer = requireNonNull(writer, "writer is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
    }

    /** Adds a reply; {@code flushed} runs once it has left or will never leave. */
    void add(FrameType type, int requestId, FramePayload payload, Runnable flushed) {
        queue.add(new Response(type, requestId, payload, flushed));
        if (queuedCount.getAndIncrement() == 0) {
            LockSupport.unpark(consumer);
        }
        if (finished) {
            discard();
        }
    }

    /**
     * Adds a reply on a thread that may wait for the client, and writes it and other queued
     * replies.
     */
    void addAndWrite(FrameType type, int requestId, FramePayload payload, Runnable flushed)
            throws IOException {
        queue.add(new Response(type, requestId, payload, flushed));
        queuedCount.getAndIncrement();
        if (finished) {
            discard();
            return;
        }
        writeWaiting();
        if (queuedCount.get() > 0) {
            LockSupport.unpark(consumer); // replies added meanwhile were left to this thread
        }
    }

    /** Whether the client has received nothing of the present write for that long. */
    boolean isStalled(long timeoutNanos) {
        long start = writeStartNanos;
        return start != 0 && nanoTime.getAsLong() - start > timeoutNanos;
    }

    /** After this, {@link #writeAll} returns once everything added before is written. */
    void close() {
        closed = true;
        LockSupport.unpark(consumer);
    }

    /** Writes replies until {@link #close}, or until the connection fails. */
    void writeAll() throws IOException {
        consumer = Thread.currentThread();
        try {
            while (true) {
                boolean wasClosed = closed;
                if (writeWaiting()) {
                    continue;
                }
                if (wasClosed) {
                    return;
                }
                // A close while this waited for the lock has woken it there, and would not again
                if (!closed) {
                    LockSupport.park(this);
                }
            }
        } finally {
            finished = true;
            discard();
        }
    }

    /** Writes the queued replies; returns whether there were any. */
    private boolean writeWaiting() throws IOException {
        writing.lock();
        try {
            int waiting = queuedCount.get();
            if (waiting > 0) {
                write(waiting);
            }
            return waiting > 0;
        } finally {
            writing.unlock();
        }
    }

    private void write(int count) throws IOException {
        writeStartNanos = nanoTime.getAsLong() | 1;
        @Nullable Response[] written = new @Nullable Response[count];
        int flushed = 0;
        try {
            for (int i = 0; i < count; i++) {
                if (writeNext(written, i)) {
                    writer.flush();
                    flushed = release(written, flushed);
                }
                writeStartNanos = nanoTime.getAsLong() | 1;
            }
            writer.flush();
        } finally {
            writeStartNanos = 0;
            queuedCount.addAndGet(-count);
            release(written, flushed);
        }
    }

    /** Writes the next reply; returns whether it is large. */
    private boolean writeNext(@Nullable Response[] written, int index) throws IOException {
        Response response = requireNonNull(queue.poll(), "a counted response is in the queue");
        written[index] = response;
        writer.write(response.type(), response.requestId(), response.payload());
        return response.payload().sizeBytes() >= LARGE_BYTES;
    }

    /**
     * Returns the permits of the replies from an index on, and forgets them, because their memory
     * belongs to others then; returns the index after them.
     */
    private static int release(@Nullable Response[] written, int from) {
        int index = from;
        while (index < written.length && written[index] != null) {
            Response response = requireNonNull(written[index], "response is null");
            written[index] = null;
            response.flushed().run();
            index++;
        }
        return index;
    }

    /** Returns the permits of replies that will not be sent. */
    private void discard() {
        Response response = queue.poll();
        while (response != null) {
            response.flushed().run();
            response = queue.poll();
        }
    }

    private record Response(
            FrameType type, int requestId, FramePayload payload, Runnable flushed) {}
}
