package io.stele.sidecar.engine;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Suppliers;
import com.google.inject.Inject;
import io.stele.engine.shard.apply.ApplyStatus;
import io.stele.engine.status.EngineStatus;
import io.stele.engine.status.TableStatus;
import io.stele.objectstore.metrics.Cumulative;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.status.ShardStatus;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.weakref.jmx.MBeanExporter;
import org.weakref.jmx.Managed;

/**
 * Gauges of the engine's state for metrics and JMX, each 0 while there is no engine. Thread-safe.
 */
public final class EngineMetrics {
    // A scrape reads every gauge: one snapshot of the engine serves them all.
    private static final long CACHE_MILLIS = 500;

    /** The names of the engine's caches in memory. */
    private static final List<String> CACHES =
            List.of(
                    "row-blocks",
                    "key-indexes",
                    "file-lists",
                    "footers",
                    "row-groups",
                    "stripe-metadata",
                    "decoded-columns",
                    "rows");

    private final EngineService service;
    private final Supplier<Optional<EngineStatus>> status =
            Suppliers.memoizeWithExpiration(
                    this::load, CACHE_MILLIS, java.util.concurrent.TimeUnit.MILLISECONDS);

    @Inject
    public EngineMetrics(EngineService service, MBeanExporter exporter) {
        this.service = requireNonNull(service, "service is null");
        for (String cache : CACHES) {
            exporter.export("stele:name=cache,cache=" + cache, cache(cache));
        }
    }

    private Optional<EngineStatus> load() {
        try {
            return Optional.of(service.engine().status());
        } catch (SteleException e) {
            return Optional.empty();
        }
    }

    private CacheMetrics cache(String name) {
        return new CacheMetrics(
                () ->
                        status.get().stream()
                                .flatMap(present -> present.caches().stream())
                                .filter(cache -> cache.name().equals(name))
                                .findFirst());
    }

    private long gauge(ToLongFunction<EngineStatus> value) {
        return status.get().map(present -> value.applyAsLong(present)).orElse(0L);
    }

    private long sum(ToLongFunction<ShardStatus> value) {
        return gauge(present -> present.shards().stream().mapToLong(value).sum());
    }

    @Managed(description = "Bytes in all memtables")
    public long getMemTableBytes() {
        return gauge(EngineStatus::memTableBytes);
    }

    @Managed(description = "Rows in all memtables")
    public long getMemTableRows() {
        return sum(ShardStatus::memoryRows);
    }

    @Managed(
            description =
                    "Bytes of batches that wait because memory is full; above zero, flushes are behind")
    public long getWaitingWriteBytes() {
        return gauge(EngineStatus::waitingWriteBytes);
    }

    @Managed(
            description =
                    "Bytes that are received, of batches not acknowledged yet, and of rows in transactions")
    public long getPendingWriteBytes() {
        try {
            return service.engine().pendingWriteBytes();
        } catch (SteleException notOpen) {
            return 0;
        }
    }

    @Managed(description = "Shards of this sidecar")
    public long getShards() {
        return gauge(present -> present.shards().size());
    }

    @Managed(
            description =
                    "How many milliseconds the wall clock jumped away, which is not followed for ten minutes")
    public long getHeldClockMillis() {
        return gauge(EngineStatus::heldClockMillis);
    }

    @Managed(
            description =
                    "What is stored and cannot be used, so that a table or shard is set aside; the status says what")
    public long getDamages() {
        return gauge(present -> present.damages().size());
    }

    @Managed(description = "Jobs that are queued or running")
    public long getOpenJobs() {
        try {
            return service.engine().jobs().openCount();
        } catch (SteleException closed) {
            return 0;
        }
    }

    @Managed(description = "Shards that stopped serving; the status says why")
    public long getFailedShards() {
        return gauge(present -> present.failedShards().size());
    }

    @Managed(
            description =
                    "Flushes, merges and manifests that failed and are tried again; the status says why")
    public long getMaintenanceFailures() {
        return gauge(present -> present.maintenanceFailures().size());
    }

    @Managed(description = "Shards that wait for the store to apply what is logged")
    public long getStoreWaits() {
        return gauge(present -> present.storeWaits().size());
    }

    @Managed(description = "Files in the manifests")
    public long getFiles() {
        return sum(ShardStatus::fileCount);
    }

    @Managed(description = "Bytes of the files in the manifests")
    public long getFileBytes() {
        return sum(ShardStatus::fileBytes);
    }

    @Managed(description = "Manifest versions written: one a flush, compaction or file commit")
    @Cumulative
    public long getManifestVersions() {
        return sum(ShardStatus::manifestVersion);
    }

    @Managed(description = "Leased snapshots")
    public long getOpenSnapshots() {
        return gauge(EngineStatus::openSnapshots);
    }

    @Managed(description = "Transactions begun and not ended")
    public long getOpenTransactions() {
        return gauge(EngineStatus::openTransactions);
    }

    @Managed(
            description =
                    "1 when the write-ahead log has failed for good: restart the sidecar once the disk is well")
    public long getLogFailed() {
        return gauge(present -> present.log().failed() ? 1 : 0);
    }

    @Managed(description = "Bytes that wait for the write-ahead log")
    public long getLogQueuedBytes() {
        return gauge(present -> present.log().queuedBytes());
    }

    @Managed(
            description =
                    "Bytes of all segments of the write-ahead log: what a restart replays at most")
    public long getLogSegmentBytes() {
        return gauge(present -> present.log().space().usedBytes());
    }

    @Managed(
            description =
                    "Bytes that the disk of the write-ahead log has left for records; -1 where no limit is known")
    public long getLogUsableBytes() {
        return gauge(
                present -> {
                    long usableBytes = present.log().space().usableBytes();
                    return usableBytes == Long.MAX_VALUE ? -1 : usableBytes;
                });
    }

    @Managed(
            description =
                    "1 when some write has found too little room on the disk of the write-ahead log since there was more")
    public long getLogFull() {
        return gauge(present -> present.log().space().isFull() ? 1 : 0);
    }

    @Managed(description = "Groups made durable since the start; each cost one fsync")
    @Cumulative
    public long getLogGroups() {
        return gauge(present -> present.log().groups());
    }

    @Managed(description = "Records made durable since the start")
    @Cumulative
    public long getLogRecords() {
        return gauge(present -> present.log().records());
    }

    @Managed(description = "Bytes written to the log since the start")
    @Cumulative
    public long getLogBytes() {
        return gauge(present -> present.log().bytes());
    }

    @Managed(description = "Row files in level 0 of the table that has most: lookups ask each")
    public long getLevel0Files() {
        return gauge(
                present ->
                        present.tables().stream()
                                .mapToLong(TableStatus::level0Files)
                                .max()
                                .orElse(0));
    }

    @Managed(description = "Bytes that merges have to read until all files are in shape, about")
    public long getPendingCompactionBytes() {
        return gauge(
                present ->
                        present.tables().stream()
                                .mapToLong(TableStatus::pendingCompactionBytes)
                                .sum());
    }

    @Managed(description = "Memtables flushed since the start")
    @Cumulative
    public long getFlushes() {
        return gauge(present -> present.traffic().flushes());
    }

    @Managed(description = "Bytes of files that flushes wrote")
    @Cumulative
    public long getFlushBytes() {
        return gauge(present -> present.traffic().flushBytes());
    }

    @Managed(description = "Merges of files since the start")
    @Cumulative
    public long getMerges() {
        return gauge(present -> present.traffic().merges());
    }

    @Managed(description = "Files that went a level down unread")
    @Cumulative
    public long getMovedFiles() {
        return gauge(present -> present.traffic().moves());
    }

    @Managed(description = "Bytes of files that merges read")
    @Cumulative
    public long getMergeInputBytes() {
        return gauge(present -> present.traffic().mergeInputBytes());
    }

    @Managed(description = "Bytes of files that merges wrote")
    @Cumulative
    public long getMergeBytes() {
        return gauge(present -> present.traffic().mergeBytes());
    }

    @Managed(description = "Bytes written for each byte that came in: log, flushes and merges")
    public double getWriteAmplification() {
        return status.get().map(present -> present.traffic().writeAmplification()).orElse(0.0);
    }

    @Managed(
            description = "How writes are held back in the worst shard: 0 not, 1 slowed, 2 stopped")
    public long getWriteGateState() {
        return gauge(present -> present.gates().state());
    }

    @Managed(description = "How often a shard began to slow its writes")
    @Cumulative
    public long getWriteSlowdowns() {
        return gauge(present -> present.gates().slowdowns());
    }

    @Managed(description = "Milliseconds that shards slowed their writes, together")
    @Cumulative
    public long getWriteSlowMillis() {
        return gauge(present -> present.gates().slowMillis());
    }

    @Managed(description = "How often a shard stopped its writes")
    @Cumulative
    public long getWriteStops() {
        return gauge(present -> present.gates().stops());
    }

    @Managed(description = "Milliseconds that shards stopped their writes, together")
    @Cumulative
    public long getWriteStopMillis() {
        return gauge(present -> present.gates().stopMillis());
    }

    private long applies(ToLongFunction<ApplyStatus> value) {
        return gauge(present -> present.applies().values().stream().mapToLong(value).sum());
    }

    @Managed(description = "Workers that apply the log, one a shard or more, together")
    public long getApplyWorkers() {
        return applies(ApplyStatus::workers);
    }

    @Managed(description = "Groups of records that some apply worker has not finished, together")
    public long getApplyGroupsInFlight() {
        return applies(ApplyStatus::groupsInFlight);
    }

    @Managed(description = "Records that are durable and not applied, together")
    public long getApplyPendingRecords() {
        return applies(ApplyStatus::pendingRecords);
    }

    @Managed(
            description =
                    "How often something waited for the apply workers of its shard to be idle")
    @Cumulative
    public long getApplyBarrierWaits() {
        return applies(ApplyStatus::barrierWaits);
    }
}
