package io.stele.client;

import io.stele.protocol.SteleException;
import io.stele.protocol.wire.Frame;
import io.stele.protocol.wire.FrameWriter;
import java.io.IOException;

/**
 * One request of a connection: it may be sent several times, when connections break, and ends
 * exactly once, with a reply or with a failure.
 */
abstract class Request {
    /** When it was last sent; written by the sender before it is pending. */
    private long sentNanos;

    private long firstSentNanos;
    private int timesSent;
    private volatile boolean lost;

    /**
     * Its connection is lost, and it is unanswered: the sidecar may still read it from there, also
     * after it has refused it over the next one.
     */
    final void connectionLost() {
        lost = true;
    }

    /** Whether that has happened. */
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

    /** It was answered, and will be sent again as if for the first time. */
    final void sentAnew() {
        timesSent = 0;
    }

    /** The time since it was first sent. */
    final long ageNanos(long nowNanos) {
        return nowNanos - firstSentNanos;
    }

    /** Writes the frame; again with the same content when it is sent again. */
    abstract void write(FrameWriter writer, int requestId) throws IOException;

    /**
     * Takes the reply. False: the sidecar cannot answer now, so the connection must be reopened and
     * the request sent again.
     *
     * @throws SteleException the reply is malformed; the connection cannot be trusted any more
     */
    abstract boolean onReply(Frame frame);

    /** The request is given up: the sidecar stays away, or the client is closed. */
    abstract void onFailure(SteleException failure);

    /**
     * Its connection is lost and it is unanswered: whether it goes back to where it came from, and
     * shall not be sent again at once.
     */
    boolean takenBack() {
        return false;
    }

    /** Rows that would be unacknowledged. */
    int rowCount() {
        return 0;
    }
}
