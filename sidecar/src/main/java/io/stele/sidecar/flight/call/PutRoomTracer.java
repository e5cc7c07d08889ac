package io.stele.sidecar.flight.call;

import static java.util.Objects.requireNonNull;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.stele.engine.node.WriteRoom;
import io.stele.protocol.SteleException;
import io.stele.protocol.flight.FlightMethods;
import io.stele.sidecar.engine.ArrivalPace;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A gRPC stream tracer that counts the messages of one DoPut in the engine's memory budget, from
 * their first byte, as gRPC gathers them. gRPC names no length before a message is whole, and
 * cannot stop within one. So a stream whose bytes find no room is refused.
 *
 * <p>Bytes come on the transport's thread, and whole messages are taken by the stream's. Invariant:
 * the room holds the bytes of all messages that have come and are not yet batches of the engine,
 * until the end of the stream.
 */
public final class PutRoomTracer extends ServerStreamTracer {
    public static final Context.Key<PutRoomTracer> KEY = Context.key("stele-put-room");

    private static final ServerStreamTracer OTHER = new ServerStreamTracer() {};

    private final ArrivalPace pace = new ArrivalPace();
    private final Queue<Long> wholeBytes = new ConcurrentLinkedQueue<>(); // in order
    private volatile @Nullable WriteRoom room;
    private volatile Consumer<SteleException> refused = busy -> {};
    private volatile Runnable closed = () -> {};
    private volatile boolean ended;
    private long partBytes; // of the message that is not whole

    /**
     * Begins to count, before the first message is requested.
     *
     * @param refused runs when there is no room for the bytes that have come
     * @param closed runs when nothing more can come
     */
    public void begin(WriteRoom room, Consumer<SteleException> refused, Runnable closed) {
        this.refused = requireNonNull(refused, "refused is null");
        this.closed = requireNonNull(closed, "closed is null");
        this.room = requireNonNull(room, "room is null");
        if (ended) {
            room.close();
        }
    }

    /** Whether nothing more can come. */
    public boolean isEnded() {
        return ended;
    }

    /** The room of the stream, from which its batches get theirs. */
    public WriteRoom room() {
        return requireNonNull(room, "not begun");
    }

    @Override
    public Context filterContext(Context context) {
        return context.withValue(KEY, this);
    }

    @Override
    public void inboundWireSize(long bytes) {
        WriteRoom present = room;
        if (present == null) {
            return;
        }
        if (partBytes == 0) {
            pace.begin();
        }
        pace.received(bytes);
        long before = partBytes;
        partBytes += bytes;
        present.grow(bytes, before).ifPresent(refused);
    }

    @Override
    public void inboundMessageRead(
            int number, long optionalWireSize, long optionalUncompressedSize) {
        wholeBytes.add(partBytes);
        partBytes = 0;
        pace.end();
    }

    /**
     * The bytes that the next message holds.
     *
     * @param messageBytes of its content, which are more where it was compressed
     * @throws SteleException BUSY if there is no room for it
     */
    public long takeMessage(long messageBytes) {
        long received = requireNonNull(wholeBytes.poll(), "the message was not counted");
        if (messageBytes <= received) {
            return received;
        }
        Optional<SteleException> busy = room().exchange(received, messageBytes);
        if (busy.isPresent()) {
            throw busy.get();
        }
        return messageBytes;
    }

    /** As {@link ArrivalPace#isTooSlow}. */
    public boolean isTooSlow(long nowNanos) {
        return pace.isTooSlow(nowNanos);
    }

    @Override
    public void streamClosed(Status status) {
        ended = true;
        pace.end();
        WriteRoom present = room;
        if (present != null) {
            present.close();
            closed.run();
        }
    }

    /** Counts the calls of DoPut alone. */
    public static final class Factory extends ServerStreamTracer.Factory {
        @Override
        public ServerStreamTracer newServerStreamTracer(String fullMethodName, Metadata headers) {
            return fullMethodName.equals(FlightMethods.DO_PUT.getFullMethodName())
                    ? new PutRoomTracer()
                    : OTHER;
        }
    }
}
