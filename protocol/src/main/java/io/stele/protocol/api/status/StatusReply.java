package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import java.util.List;

/**
 * The reply with the state of a sidecar: readiness, durable LSN, open snapshots and transactions,
 * shards, and damaged objects.
 */
public record StatusReply(
        String nodeId,
        String version,
        boolean ready,
        Lsn durableLsn,
        int openSnapshots,
        int openTransactions,
        List<ShardStatus> shards,
        List<DamagedObject> damaged) {
    public StatusReply {
        requireNonNull(nodeId, "nodeId is null");
        requireNonNull(version, "version is null");
        requireNonNull(durableLsn, "durableLsn is null");
        shards = List.copyOf(shards);
        damaged = List.copyOf(damaged);
    }
}
