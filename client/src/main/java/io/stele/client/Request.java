package io.stele.client;

import io.stele.protocol.SteleException;
import io.stele.protocol.wire.Frame;
import io.stele.protocol.wire.FrameWriter;
import java.io.IOException;

/**
 * A request of a client's connection, which may be sent several times if sockets break, and ends
 * exactly once, with a reply or a failure.
 */
abstract class Request {
    /** The time at which it was last sent; written by the sender before it is pending. */
    private long sentNanos;

    private long firstSentNanos;
    private int timesSent;
    private volatile boolean lost;

    /**
     * Called when its socket is lost while it is unanswered. The sidecar may still read it from
     * that socket, even after it has refused it on the next socket.
     */
    final void connectionLost() {
        lost = true;
    }

    /** Whether {@link #connectionLost} was called. */
    final boolean wasLost() {
        return lost;
    }

    final long sentNanos() {
        return sentNanos;
    }

    final void sentAt(long nanos) {
        if (timesSent == 0) {
            firstSentNanos = nanos;
        }
        timesSent++;
        sentNanos = nanos;
    }

    final int timesSent() {
        return timesSent;
    }

    /** Called when it was answered and will be sent again as if for the first time. */
    final void sentAnew() {
        timesSent = 0;
    }

    /** The time since it was first sent. */
    final long ageNanos(long nowNanos) {
        return nowNanos - firstSentNanos;
    }

    /** Writes the frame, with equal content at each repetition. */
    abstract void write(FrameWriter writer, int requestId) throws IOException;

    /**
     * Processes the reply. Returns false if the sidecar is unavailable now, so that the connection
     * must be reopened and the request sent again.
     *
     * @throws SteleException if the reply is malformed, so that the connection cannot be trusted
     *     any more
     */
    abstract boolean onReply(Frame frame);

    /**
     * Called when the request is given up, because the sidecar stays unavailable or the client is
     * closed.
     */
    abstract void onFailure(SteleException failure);

    /**
     * Called when its socket is lost while it is unanswered. Returns whether it went back to its
     * batcher, so that the connection must not send it again at once.
     */
    boolean takenBack() {
        return false;
    }

    /** The number of rows that are unacknowledged if it fails. */
    int rowCount() {
        return 0;
    }
}
