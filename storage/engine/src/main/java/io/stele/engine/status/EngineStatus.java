package io.stele.engine.status;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.engine.shard.Damage;
import io.stele.engine.shard.StoreWait;
import io.stele.engine.shard.apply.ApplyStatus;
import io.stele.engine.shard.maintenance.MaintenanceFailure;
import io.stele.engine.shard.write.GateStatus;
import io.stele.engine.tablet.Traffic;
import io.stele.engine.wal.LogStatus;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.api.status.ShardStatus;
import java.util.List;
import java.util.Map;

/**
 * The status of a node's storage engine at one moment, for monitoring: log, memory, shards, tables,
 * caches, write throttling and faults.
 *
 * @param lastLsn the last LSN that the clock assigned
 * @param heldClockMillis milliseconds by which the wall clock jumped away and which the LSN clock
 *     does not follow yet
 * @param memTableBytes bytes in all memtables
 * @param waitingWriteBytes bytes of batches that wait because memory is full; above zero: flushes
 *     are behind
 * @param failedShards the error message of each shard that stopped serving
 * @param damages stored data that cannot be used
 * @param maintenanceFailures flushes, compactions and manifest writes that failed and have not
 *     succeeded since
 * @param storeWaits the shards that cannot apply a record because the object store does not answer
 * @param caches counters and contents of each cache of the engine, by its name
 * @param gates how writes were throttled, over all shards
 * @param applies how each shard applies its log
 */
public record EngineStatus(
        Lsn lastLsn,
        long heldClockMillis,
        int openSnapshots,
        int openTransactions,
        long memTableBytes,
        long waitingWriteBytes,
        LogStatus log,
        List<ShardStatus> shards,
        List<String> failedShards,
        List<Damage> damages,
        List<MaintenanceFailure> maintenanceFailures,
        List<StoreWait> storeWaits,
        List<CacheStatistics> caches,
        GateStatus gates,
        List<TableStatus> tables,
        Map<ShardId, ApplyStatus> applies) {
    public EngineStatus {
        requireNonNull(lastLsn, "lastLsn is null");
        requireNonNull(log, "log is null");
        shards = List.copyOf(shards);
        failedShards = List.copyOf(failedShards);
        damages = List.copyOf(damages);
        maintenanceFailures = List.copyOf(maintenanceFailures);
        storeWaits = List.copyOf(storeWaits);
        caches = List.copyOf(caches);
        requireNonNull(gates, "gates is null");
        tables = List.copyOf(tables);
        applies = Map.copyOf(applies);
    }

    /** The bytes that all present tables wrote. */
    public Traffic.Totals traffic() {
        Traffic.Totals totals = Traffic.Totals.NONE;
        for (TableStatus table : tables) {
            totals = totals.plus(table.traffic());
        }
        return totals;
    }
}
