package io.stele.sidecar.framed;

import static java.util.Objects.requireNonNull;

import io.stele.engine.node.WriteRoom;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.Frame;
import java.util.Optional;

/**
 * A request frame that the framed server has received, with the memory that it holds.
 *
 * @param frame the frame; of a refused WRITE only the part before its batch
 * @param taken the units that it holds of the server's {@link PendingLimits}
 * @param room the room of a WRITE, which holds its bytes of the engine's budget
 * @param refusal why a WRITE was not read, because the engine's budget has no room for it
 */
record Received(
        Frame frame, int taken, Optional<WriteRoom> room, Optional<SteleException> refusal) {
    Received {
        requireNonNull(frame, "frame is null");
        requireNonNull(room, "room is null");
        requireNonNull(refusal, "refusal is null");
    }
}
