package io.stele.storage.engine;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.api.ShardStatus;
import io.stele.storage.wal.LogStatus;
import java.util.List;

/**
 * How an engine is doing.
 *
 * @param lastLsn the last LSN the clock gave
 * @param memTableBytes bytes in all memtables
 * @param waitingWriteBytes batches that wait because memory is full; above zero: flushes are behind
 * @param failedShards what each shard that stopped serving says
 */
public record EngineStatus(
        Lsn lastLsn,
        int openReadPoints,
        int openTransactions,
        long memTableBytes,
        long waitingWriteBytes,
        LogStatus log,
        List<ShardStatus> shards,
        List<String> failedShards) {
    public EngineStatus {
        requireNonNull(lastLsn, "lastLsn is null");
        requireNonNull(log, "log is null");
        shards = List.copyOf(shards);
        failedShards = List.copyOf(failedShards);
    }
}
