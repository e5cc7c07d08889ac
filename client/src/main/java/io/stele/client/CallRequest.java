package io.stele.client;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.ErrorReply;
import io.stele.protocol.wire.Frame;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.FrameWriter;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * A repeatable request of a client's connection (GET_TABLE, MULTI_GET, SCAN, PING), with its reply
 * as a future.
 */
final class CallRequest extends Request {
    private final FrameType type;
    private final FrameType replyType;
    private final byte[] payload;
    private final CompletableFuture<Frame> reply = new CompletableFuture<>();

    CallRequest(FrameType type, FrameType replyType, byte[] payload) {
        this.type = type;
        this.replyType = replyType;
        this.payload = payload;
    }

    /** Completed by the connection's reader. */
    CompletableFuture<Frame> reply() {
        return reply;
    }

    @Override
    void write(FrameWriter writer, int requestId) throws IOException {
        writer.write(type, requestId, payload);
    }

    @Override
    boolean onReply(Frame frame) {
        if (frame.type() == FrameType.ERROR) {
            ErrorReply error = ErrorReply.decode(frame);
            if (error.code() == ErrorCode.UNAVAILABLE) {
                return false;
            }
            reply.completeExceptionally(error.toException());
            return true;
        }
        if (frame.type() != replyType) {
            throw new SteleException(
                    ErrorCode.INTERNAL,
                    "Expected a "
                            + replyType
                            + " frame to answer "
                            + type
                            + ", found "
                            + frame.type());
        }
        reply.complete(frame);
        return true;
    }

    @Override
    void onFailure(SteleException failure) {
        reply.completeExceptionally(failure);
    }
}
