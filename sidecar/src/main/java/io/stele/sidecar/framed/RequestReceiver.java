package io.stele.sidecar.framed;

import static java.util.Objects.requireNonNull;

import io.stele.engine.node.WriteRoom;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.Frame;
import io.stele.protocol.wire.FrameHead;
import io.stele.protocol.wire.FrameReader;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.Write;
import io.stele.sidecar.engine.ArrivalPace;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the requests of one connection, which takes memory by the announced length before it
 * reads a request. It waits for the server's budget, so that TCP holds the client back. It does not
 * wait for the engine's budget, because staged rows may fill it until a commit, which could come
 * after this request. A WRITE without room there is skipped, and refused.
 *
 * <p>Confined to the thread that serves the connection. Invariant: it holds nothing while it waits.
 */
final class RequestReceiver {
    private final FrameReader reader;
    private final PendingLimits pending;
    private final Supplier<WriteRoom> rooms;
    private final ArrivalPace pace;

    /**
     * @param rooms returns empty rooms of the engine; throws a {@link SteleException} while it is
     *     not open
     */
    RequestReceiver(
            FrameReader reader,
            PendingLimits pending,
            Supplier<WriteRoom> rooms,
            ArrivalPace pace) {
        this.reader = requireNonNull(reader, "reader is null");
        this.pending = requireNonNull(pending, "pending is null");
        this.rooms = requireNonNull(rooms, "rooms is null");
        this.pace = requireNonNull(pace, "pace is null");
    }

    /** The next request, or null where the stream ends between two. */
    @Nullable Received receive() throws IOException, InterruptedException {
        FrameHead head = reader.readHead();
        if (head == null) {
            return null;
        }
        int taken = pending.take(head.payloadLength());
        Optional<WriteRoom> room = Optional.empty();
        boolean isWhole = false;
        pace.begin();
        try {
            room = head.type() == FrameType.WRITE ? openRoom() : Optional.empty();
            Optional<SteleException> refusal =
                    room.flatMap(opened -> opened.grow(head.payloadLength(), 0));
            Frame frame =
                    refusal.isEmpty()
                            ? reader.readPayload(head)
                            : reader.readStart(head, Write.HEAD_BYTES);
            isWhole = true;
            return new Received(frame, taken, room, refusal);
        } finally {
            pace.end();
            if (!isWhole) {
                room.ifPresent(WriteRoom::close);
                pending.giveBack(taken);
            }
        }
    }

    private Optional<WriteRoom> openRoom() {
        try {
            return Optional.of(rooms.get());
        } catch (SteleException notOpen) {
            return Optional.empty(); // the request itself will fail with it
        }
    }
}
