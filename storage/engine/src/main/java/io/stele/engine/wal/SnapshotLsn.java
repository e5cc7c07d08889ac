package io.stele.engine.wal;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import java.util.Map;

/**
 * A point in the history of several shards for a consistent read: an LSN, and the last LSN of each
 * shard up to it.
 *
 * <p>Invariant: every record of these shards with an LSN at or below {@code lsn} was assigned
 * before this was taken; the last of each shard is in {@code lastAssigned} ({@code Lsn.MIN} if it
 * has none). A reader at {@code lsn} that has waited until each shard has applied its last sees
 * exactly the writes up to {@code lsn}.
 */
public record SnapshotLsn(Lsn lsn, Map<ShardId, Lsn> lastAssigned) {
    public SnapshotLsn {
        requireNonNull(lsn, "lsn is null");
        lastAssigned = Map.copyOf(lastAssigned);
    }
}
