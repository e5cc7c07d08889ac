package io.stele.flink.changes;

import io.stele.protocol.Lsn;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The positions of all shards in the checkpoints that are being made: a job goes back to those of a
 * completed one, and needs the history after the least of them. Confined to one thread.
 */
final class CheckpointPositions {
    /** Of checkpoints that are never completed. */
    private static final int MAX_CHECKPOINTS = 100;

    private final int shardCount;
    private final TreeMap<Long, Map<Integer, Lsn>> checkpoints = new TreeMap<>();
    private final TreeMap<Long, Lsn> leases = new TreeMap<>();

    CheckpointPositions(int shardCount) {
        this.shardCount = shardCount;
    }

    /** A checkpoint has this position of a shard. */
    void add(long checkpoint, int shard, Lsn position) {
        checkpoints.computeIfAbsent(checkpoint, id -> new HashMap<>()).put(shard, position);
        if (checkpoints.size() > MAX_CHECKPOINTS) {
            checkpoints.pollFirstEntry();
        }
    }

    /** A checkpoint names a lease on the history after an LSN. */
    void addLease(long checkpoint, Lsn lsn) {
        leases.put(checkpoint, lsn);
        if (leases.size() > MAX_CHECKPOINTS) {
            leases.pollFirstEntry();
        }
    }

    /** The LSN of the lease that a checkpoint names, if any, until it is complete. */
    Optional<Lsn> lease(long checkpoint) {
        return Optional.ofNullable(leases.get(checkpoint));
    }

    /**
     * The least position of a checkpoint that is complete; empty if not all are known, as when a
     * message was lost. Those of earlier ones are forgotten.
     */
    Optional<Lsn> complete(long checkpoint) {
        Map<Integer, Lsn> positions = checkpoints.get(checkpoint);
        checkpoints.headMap(checkpoint, true).clear();
        leases.headMap(checkpoint, true).clear();
        return positions == null || positions.size() < shardCount
                ? Optional.empty()
                : positions.values().stream().min(Lsn::compareTo);
    }
}
