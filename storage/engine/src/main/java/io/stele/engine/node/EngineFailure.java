package io.stele.engine.node;

import static java.util.Objects.requireNonNull;

import io.stele.engine.wal.LostOwnershipException;
import io.stele.protocol.SteleException;

/**
 * The permanent failure of an engine's log or shard ownership, after which it acknowledges no write
 * until it is started again.
 *
 * @param isTakenOver whether another engine, opened later, owns the log or a shard
 * @param cause the error that requests get
 */
public record EngineFailure(boolean isTakenOver, SteleException cause) {
    public EngineFailure {
        requireNonNull(cause, "cause is null");
    }

    static EngineFailure of(SteleException cause) {
        return new EngineFailure(LostOwnershipException.isCauseOf(cause), cause);
    }
}
