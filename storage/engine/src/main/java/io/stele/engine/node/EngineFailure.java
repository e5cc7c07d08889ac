package io.stele.engine.node;

import static java.util.Objects.requireNonNull;

import io.stele.engine.wal.LostOwnershipException;
import io.stele.protocol.SteleException;

/**
 * The failure after which an engine acknowledges nothing more: only another start helps, here or
 * where the owner is by now.
 *
 * @param isTakenOver whether another engine, opened later, owns the log or a shard
 * @param cause as requests get it
 */
public record EngineFailure(boolean isTakenOver, SteleException cause) {
    public EngineFailure {
        requireNonNull(cause, "cause is null");
    }

    static EngineFailure of(SteleException cause) {
        return new EngineFailure(LostOwnershipException.isCauseOf(cause), cause);
    }
}
