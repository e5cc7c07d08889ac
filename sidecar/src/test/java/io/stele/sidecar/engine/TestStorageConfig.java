package io.stele.sidecar.engine;

import static io.airlift.configuration.testing.ConfigAssertions.assertDeprecatedEquivalence;
import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;

import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class TestStorageConfig {
    @Test
    void defaults() {
        assertRecordedDefaults(
                recordDefaults(StorageConfig.class)
                        .setWarmOnFlush(true)
                        .setWarmOnCompaction(true)
                        .setWarehousePath("")
                        .setWalPath("")
                        .setWalGivenUp("")
                        .setWalExitOnFailure(true)
                        .setMemTableSize(DataSize.of(64, DataSize.Unit.MEGABYTE))
                        .setMemTableTotalSize(DataSize.of(512, DataSize.Unit.MEGABYTE))
                        .setMemTableMaxAge(new Duration(1, TimeUnit.MINUTES))
                        .setRetention(new Duration(1, TimeUnit.HOURS))
                        .setMaxHeldHistory(new Duration(1, TimeUnit.DAYS))
                        .setTableChangesMaxSize(DataSize.of(64, DataSize.Unit.MEGABYTE))
                        .setMaxWriteWait(new Duration(60, TimeUnit.SECONDS))
                        .setMaxPendingWriteSize(
                                DataSize.ofBytes(Runtime.getRuntime().maxMemory() / 5))
                        .setTransactionMaxSize(DataSize.of(256, DataSize.Unit.MEGABYTE))
                        .setLoadBufferSize(DataSize.of(64, DataSize.Unit.MEGABYTE))
                        .setTransactionIdleTimeout(new Duration(1, TimeUnit.HOURS))
                        .setTargetFileSize(DataSize.of(256, DataSize.Unit.MEGABYTE))
                        .setWalSegmentSize(DataSize.of(64, DataSize.Unit.MEGABYTE))
                        .setWalObjectInterval(new Duration(100, TimeUnit.MILLISECONDS))
                        .setWalObjectSize(DataSize.of(16, DataSize.Unit.MEGABYTE))
                        .setBlockCacheSize(DataSize.of(256, DataSize.Unit.MEGABYTE))
                        .setKeyIndexCacheSize(DataSize.of(128, DataSize.Unit.MEGABYTE))
                        .setRowCacheSize(DataSize.of(64, DataSize.Unit.MEGABYTE))
                        .setFooterCacheSize(DataSize.of(64, DataSize.Unit.MEGABYTE))
                        .setRowGroupCacheSize(DataSize.of(64, DataSize.Unit.MEGABYTE))
                        .setDecodedColumnCacheSize(
                                DataSize.ofBytes(Runtime.getRuntime().maxMemory() / 10))
                        .setShardThreads(Math.max(2, Runtime.getRuntime().availableProcessors()))
                        .setBackgroundThreads(2)
                        .setApplyMaxWorkers(
                                Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, 4))
                        .setCompactionRateLimit(DataSize.of(0, DataSize.Unit.MEGABYTE)));
    }

    @Test
    void explicitMapping() {
        Map<String, String> properties = new HashMap<>();
        properties.put("stele.warehouse.path", "/data/warehouse");
        properties.put("stele.wal.path", "/log/wal");
        properties.put("stele.wal.given-up", "00c0ffee");
        properties.put("stele.wal.exit-on-failure", "false");
        properties.put("stele.memtable.size", "1MB");
        properties.put("stele.memtable.total-size", "8MB");
        properties.put("stele.memtable.max-age", "5s");
        properties.put("stele.retention", "2h");
        properties.put("stele.snapshot.max-held-history", "3h");
        properties.put("stele.table-changes.max-size", "7MB");
        properties.put("stele.write.max-wait", "3s");
        properties.put("stele.write.max-pending-size", "15MB");
        properties.put("stele.transaction.max-size", "3MB");
        properties.put("stele.load.buffer-size", "4MB");
        properties.put("stele.transaction.idle-timeout", "2m");
        properties.put("stele.compaction.target-file-size", "32MB");
        properties.put("stele.wal.segment-size", "2MB");
        properties.put("stele.wal.object-interval", "250ms");
        properties.put("stele.wal.object-size", "3MB");
        properties.put("stele.block-cache.size", "9MB");
        properties.put("stele.key-index-cache.size", "11MB");
        properties.put("stele.row-cache.size", "12MB");
        properties.put("stele.row-group-cache.size", "10MB");
        properties.put("stele.decoded-column-cache.size", "13MB");
        properties.put("stele.footer-cache.size", "14MB");
        properties.put("stele.threads.shards", "77");
        properties.put("stele.threads.background", "3");
        properties.put("stele.apply.max-workers", "5");
        properties.put("stele.compaction.rate-limit", "20MB");
        properties.put("stele.cache.warm-on-flush", "false");
        properties.put("stele.cache.warm-on-compaction", "false");
        assertFullMapping(
                properties,
                new StorageConfig()
                        .setWarmOnFlush(false)
                        .setWarmOnCompaction(false)
                        .setWarehousePath("/data/warehouse")
                        .setWalPath("/log/wal")
                        .setWalGivenUp("00c0ffee")
                        .setWalExitOnFailure(false)
                        .setMemTableSize(DataSize.of(1, DataSize.Unit.MEGABYTE))
                        .setMemTableTotalSize(DataSize.of(8, DataSize.Unit.MEGABYTE))
                        .setMemTableMaxAge(new Duration(5, TimeUnit.SECONDS))
                        .setRetention(new Duration(2, TimeUnit.HOURS))
                        .setMaxHeldHistory(new Duration(3, TimeUnit.HOURS))
                        .setTableChangesMaxSize(DataSize.of(7, DataSize.Unit.MEGABYTE))
                        .setMaxWriteWait(new Duration(3, TimeUnit.SECONDS))
                        .setMaxPendingWriteSize(DataSize.of(15, DataSize.Unit.MEGABYTE))
                        .setTransactionMaxSize(DataSize.of(3, DataSize.Unit.MEGABYTE))
                        .setLoadBufferSize(DataSize.of(4, DataSize.Unit.MEGABYTE))
                        .setTransactionIdleTimeout(new Duration(2, TimeUnit.MINUTES))
                        .setTargetFileSize(DataSize.of(32, DataSize.Unit.MEGABYTE))
                        .setWalSegmentSize(DataSize.of(2, DataSize.Unit.MEGABYTE))
                        .setWalObjectInterval(new Duration(250, TimeUnit.MILLISECONDS))
                        .setWalObjectSize(DataSize.of(3, DataSize.Unit.MEGABYTE))
                        .setBlockCacheSize(DataSize.of(9, DataSize.Unit.MEGABYTE))
                        .setKeyIndexCacheSize(DataSize.of(11, DataSize.Unit.MEGABYTE))
                        .setRowCacheSize(DataSize.of(12, DataSize.Unit.MEGABYTE))
                        .setFooterCacheSize(DataSize.of(14, DataSize.Unit.MEGABYTE))
                        .setRowGroupCacheSize(DataSize.of(10, DataSize.Unit.MEGABYTE))
                        .setDecodedColumnCacheSize(DataSize.of(13, DataSize.Unit.MEGABYTE))
                        .setShardThreads(77)
                        .setBackgroundThreads(3)
                        .setApplyMaxWorkers(5)
                        .setCompactionRateLimit(DataSize.of(20, DataSize.Unit.MEGABYTE)));
    }

    @Test
    void earlierNamesStillWork() {
        assertDeprecatedEquivalence(
                StorageConfig.class,
                Map.of(
                        "stele.warehouse.path", "/data/warehouse",
                        "stele.wal.path", "/log/wal",
                        "stele.apply.max-workers", "5"),
                Map.of(
                        "stele.warehouse.path", "/data/warehouse",
                        "stele.wal.path", "/log/wal",
                        "stele.apply.max-lanes", "5"));
    }
}
