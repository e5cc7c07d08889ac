package io.stele.sidecar.framed;

import io.stele.engine.node.WriteRoom;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.ErrorReply;
import io.stele.protocol.wire.Frame;
import io.stele.protocol.wire.FramePayload;
import io.stele.protocol.wire.FrameType;

/**
 * A request of the framed server that waits for its reply. Exactly one of the methods that end it
 * is called, from any thread.
 */
record Request(FramedConnection connection, Received received) {
    Frame frame() {
        return received.frame();
    }

    /**
     * Returns the memory that it holds; memory that a batch has taken over is returned with the
     * batch.
     */
    void release(PendingLimits pending) {
        received.room().ifPresent(WriteRoom::close);
        pending.giveBack(received.taken());
    }

    /** Replies. */
    void complete(FrameType type, byte[] payload) {
        complete(type, FramePayload.of(payload), () -> {});
    }

    /** Replies; {@code flushed} runs once the reply has left or will never leave. */
    void complete(FrameType type, FramePayload payload, Runnable flushed) {
        connection.reply(this, type, payload, flushed);
    }

    /** Replies on the thread of the connection, which waits until the reply is written. */
    void completeHere(FrameType type, FramePayload payload, Runnable flushed) {
        connection.replyHere(this, type, payload, flushed);
    }

    /** Replies that the request failed and had no effect. */
    void fail(SteleException failure) {
        complete(FrameType.ERROR, ErrorReply.of(failure, connection.knowsWaiting()).encode());
    }

    /**
     * Ends the connection, because it is unknown whether the request had an effect; the client
     * sends it again.
     */
    void abandon() {
        connection.abandon(this);
    }
}
