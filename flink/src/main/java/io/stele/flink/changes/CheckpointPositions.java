package io.stele.flink.changes;

import io.stele.protocol.Lsn;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The positions of all shards in pending checkpoints. A job restarts from a complete one, and then
 * needs the history after its smallest position. Confined to one thread.
 */
final class CheckpointPositions {
    /** A limit for checkpoints that never complete. */
    private static final int MAX_CHECKPOINTS = 100;

    private final int shardCount;
    private final TreeMap<Long, Map<Integer, Lsn>> checkpoints = new TreeMap<>();
    private final TreeMap<Long, Lsn> leases = new TreeMap<>();

    CheckpointPositions(int shardCount) {
        this.shardCount = shardCount;
    }

    /** Adds the position of a shard in a checkpoint. */
    void add(long checkpoint, int shard, Lsn position) {
        checkpoints.computeIfAbsent(checkpoint, id -> new HashMap<>()).put(shard, position);
        if (checkpoints.size() > MAX_CHECKPOINTS) {
            checkpoints.pollFirstEntry();
        }
    }

    /** Adds the lease that a checkpoint names: on the history after an LSN. */
    void addLease(long checkpoint, Lsn lsn) {
        leases.put(checkpoint, lsn);
        if (leases.size() > MAX_CHECKPOINTS) {
            leases.pollFirstEntry();
        }
    }

    /** The LSN of the lease that a checkpoint names, if any, until the checkpoint is complete. */
    Optional<Lsn> lease(long checkpoint) {
        return Optional.ofNullable(leases.get(checkpoint));
    }

    /**
     * The smallest position in a completed checkpoint; empty: not all are known, because a message
     * was lost. Forgets earlier checkpoints.
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
