package io.stele.sidecar.engine;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.configuration.LegacyConfig;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import io.airlift.units.MaxDataSize;
import io.airlift.units.MaxDuration;
import io.airlift.units.MinDataSize;
import io.airlift.units.MinDuration;
import io.stele.engine.shard.apply.ApplyOptions;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import java.util.concurrent.TimeUnit;

/** Settings of the storage engine. */
public class StorageConfig {
    private String warehousePath = "";
    private String walPath = "";
    private String walGivenUp = "";
    private boolean walExitOnFailure = true;
    private DataSize memTableSize = DataSize.of(64, DataSize.Unit.MEGABYTE);
    private DataSize memTableTotalSize = DataSize.of(512, DataSize.Unit.MEGABYTE);
    private Duration memTableMaxAge = new Duration(1, TimeUnit.MINUTES);
    private Duration retention = new Duration(1, TimeUnit.HOURS);
    private Duration maxHeldHistory = new Duration(1, TimeUnit.DAYS);
    private Duration maxWriteWait = new Duration(60, TimeUnit.SECONDS);
    private DataSize loadBufferSize = DataSize.of(64, DataSize.Unit.MEGABYTE);
    private DataSize transactionMaxSize = DataSize.of(256, DataSize.Unit.MEGABYTE);
    // With the default heap of 2 GB, its three quarters for staged writes hold a default
    // transaction
    private DataSize maxPendingWriteSize = DataSize.ofBytes(Runtime.getRuntime().maxMemory() / 5);
    private Duration transactionIdleTimeout = new Duration(1, TimeUnit.HOURS);
    private DataSize targetFileSize = DataSize.of(256, DataSize.Unit.MEGABYTE);
    private DataSize walSegmentSize = DataSize.of(64, DataSize.Unit.MEGABYTE);
    // 10 requests a second: about $130 a month of PUTs on S3 for a node that always writes
    private Duration walObjectInterval = new Duration(100, TimeUnit.MILLISECONDS);
    private DataSize walObjectSize = DataSize.of(16, DataSize.Unit.MEGABYTE);
    private DataSize blockCacheSize = DataSize.of(256, DataSize.Unit.MEGABYTE);
    private DataSize keyIndexCacheSize = DataSize.of(128, DataSize.Unit.MEGABYTE);
    private DataSize rowCacheSize = DataSize.of(64, DataSize.Unit.MEGABYTE);
    // Room for the columns of a dashboard in tables of some ten million rows; as in workers
    private DataSize decodedColumnCacheSize =
            DataSize.ofBytes(Runtime.getRuntime().maxMemory() / 10);
    private DataSize footerCacheSize = DataSize.of(64, DataSize.Unit.MEGABYTE);
    private DataSize rowGroupCacheSize = DataSize.of(64, DataSize.Unit.MEGABYTE);
    private int shardThreads = Math.max(2, Runtime.getRuntime().availableProcessors());
    private int backgroundThreads = 2;
    // Apply workers need cores that the log, the servers and readers leave; one log cannot keep
    // more than 4 busy.
    private int applyMaxWorkers = Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, 4);
    private boolean warmOnFlush = true;
    private boolean warmOnCompaction = true;
    private DataSize tableChangesMaxSize = DataSize.of(64, DataSize.Unit.MEGABYTE);
    private DataSize compactionRateLimit = DataSize.of(0, DataSize.Unit.MEGABYTE);

    @NotEmpty(
            message =
                    "must be set to the folder of the warehouse, s3://bucket/prefix or hdfs://host:port/path")
    public String getWarehousePath() {
        return warehousePath;
    }

    @Config("stele.warehouse.path")
    @ConfigDescription(
            "The warehouse (catalog, manifests and data files): a folder, s3://bucket/prefix or hdfs://host:port/path")
    public StorageConfig setWarehousePath(String warehousePath) {
        this.warehousePath = warehousePath;
        return this;
    }

    @NotEmpty(
            message =
                    "must be set to the folder of the write-ahead log, s3://bucket/prefix or hdfs://host:port/path")
    public String getWalPath() {
        return walPath;
    }

    @Config("stele.wal.path")
    @ConfigDescription(
            "The write-ahead log: a folder on a disk whose fsync is true, s3://bucket/prefix or hdfs://host:port/path; one sidecar each")
    public StorageConfig setWalPath(String walPath) {
        this.walPath = walPath;
        return this;
    }

    @Pattern(regexp = "([0-9a-f]{8})?", message = "must be the id of a log, 8 hexadecimal digits")
    public String getWalGivenUp() {
        return walGivenUp;
    }

    @Config("stele.wal.given-up")
    @ConfigDescription(
            "The id of a log that is lost: the sidecar begins an empty one in its place, and what only that log had is gone")
    public StorageConfig setWalGivenUp(String walGivenUp) {
        this.walGivenUp = walGivenUp;
        return this;
    }

    public boolean isWalExitOnFailure() {
        return walExitOnFailure;
    }

    @Config("stele.wal.exit-on-failure")
    @ConfigDescription(
            "Whether the process ends when the write-ahead log has failed for good (exit code 4) or another sidecar has taken it over (5)")
    public StorageConfig setWalExitOnFailure(boolean walExitOnFailure) {
        this.walExitOnFailure = walExitOnFailure;
        return this;
    }

    @MinDuration("0s")
    @MaxDuration("1m")
    public Duration getWalObjectInterval() {
        return walObjectInterval;
    }

    @Config("stele.wal.object-interval")
    @ConfigDescription(
            "Least time between two objects of a log on S3, unless one is full: each costs a request, and writes wait for it")
    public StorageConfig setWalObjectInterval(Duration walObjectInterval) {
        this.walObjectInterval = walObjectInterval;
        return this;
    }

    @MinDataSize("64kB")
    @MaxDataSize("64MB")
    public DataSize getWalObjectSize() {
        return walObjectSize;
    }

    @Config("stele.wal.object-size")
    @ConfigDescription("An object of a log on S3 with so much in it is full")
    public StorageConfig setWalObjectSize(DataSize walObjectSize) {
        this.walObjectSize = walObjectSize;
        return this;
    }

    @MinDataSize("64kB")
    @MaxDataSize("1GB")
    public DataSize getMemTableSize() {
        return memTableSize;
    }

    @Config("stele.memtable.size")
    @ConfigDescription("The memtable of a table in a shard is flushed at this size")
    public StorageConfig setMemTableSize(DataSize memTableSize) {
        this.memTableSize = memTableSize;
        return this;
    }

    @MinDataSize("1MB")
    public DataSize getMemTableTotalSize() {
        return memTableTotalSize;
    }

    @Config("stele.memtable.total-size")
    @ConfigDescription(
            "All memtables together; the largest are flushed beyond half of it, writes wait beyond all of it")
    public StorageConfig setMemTableTotalSize(DataSize memTableTotalSize) {
        this.memTableTotalSize = memTableTotalSize;
        return this;
    }

    @MinDuration("10ms")
    public Duration getMemTableMaxAge() {
        return memTableMaxAge;
    }

    @Config("stele.memtable.max-age")
    @ConfigDescription("A memtable older than this is flushed whatever its size")
    public StorageConfig setMemTableMaxAge(Duration memTableMaxAge) {
        this.memTableMaxAge = memTableMaxAge;
        return this;
    }

    @MinDataSize("1kB")
    @MaxDataSize("4GB")
    public DataSize getTableChangesMaxSize() {
        return tableChangesMaxSize;
    }

    @Config("stele.table-changes.max-size")
    @ConfigDescription(
            "Memory for changes of one shard in a change scan; it reads more of them in several passes")
    public StorageConfig setTableChangesMaxSize(DataSize tableChangesMaxSize) {
        this.tableChangesMaxSize = tableChangesMaxSize;
        return this;
    }

    @MinDuration("0s")
    public Duration getRetention() {
        return retention;
    }

    @Config("stele.retention")
    @ConfigDescription(
            "How long old versions of rows stay readable, in tables that say nothing else")
    public StorageConfig setRetention(Duration retention) {
        this.retention = retention;
        return this;
    }

    @MinDuration("1m")
    public Duration getMaxHeldHistory() {
        return maxHeldHistory;
    }

    @Config("stele.snapshot.max-held-history")
    @ConfigDescription(
            "By how much longer than its retention the snapshots of queries and of readers of changes keep the history of a table; one that would keep more ends")
    public StorageConfig setMaxHeldHistory(Duration maxHeldHistory) {
        this.maxHeldHistory = maxHeldHistory;
        return this;
    }

    @MinDataSize("1MB")
    public DataSize getMaxPendingWriteSize() {
        return maxPendingWriteSize;
    }

    @Config("stele.write.max-pending-size")
    @ConfigDescription(
            "Batches not acknowledged yet and rows staged in transactions, of all clients together; more are refused as busy")
    public StorageConfig setMaxPendingWriteSize(DataSize maxPendingWriteSize) {
        this.maxPendingWriteSize = maxPendingWriteSize;
        return this;
    }

    @MinDataSize("64kB")
    public DataSize getTransactionMaxSize() {
        return transactionMaxSize;
    }

    @Config("stele.transaction.max-size")
    @ConfigDescription(
            "Rows staged in one transaction; one byte more fails it with TRANSACTION_TOO_LARGE")
    public StorageConfig setTransactionMaxSize(DataSize transactionMaxSize) {
        this.transactionMaxSize = transactionMaxSize;
        return this;
    }

    @MinDataSize("64kB")
    @MaxDataSize("1GB")
    public DataSize getLoadBufferSize() {
        return loadBufferSize;
    }

    @Config("stele.load.buffer-size")
    @ConfigDescription(
            "Rows of one COPY or ingestion that are collected; more become column files of the warehouse")
    public StorageConfig setLoadBufferSize(DataSize loadBufferSize) {
        this.loadBufferSize = loadBufferSize;
        return this;
    }

    @MinDuration("1s")
    public Duration getTransactionIdleTimeout() {
        return transactionIdleTimeout;
    }

    @Config("stele.transaction.idle-timeout")
    @ConfigDescription("A transaction nobody touched for this long is aborted")
    public StorageConfig setTransactionIdleTimeout(Duration transactionIdleTimeout) {
        this.transactionIdleTimeout = transactionIdleTimeout;
        return this;
    }

    @MinDataSize("1MB")
    @MaxDataSize("8GB")
    public DataSize getTargetFileSize() {
        return targetFileSize;
    }

    @Config("stele.compaction.target-file-size")
    @ConfigDescription("Compaction makes files of about this size")
    public StorageConfig setTargetFileSize(DataSize targetFileSize) {
        this.targetFileSize = targetFileSize;
        return this;
    }

    @MinDataSize("64kB")
    @MaxDataSize("1GB")
    public DataSize getWalSegmentSize() {
        return walSegmentSize;
    }

    @Config("stele.wal.segment-size")
    @ConfigDescription("A new segment of the write-ahead log begins at this size")
    public StorageConfig setWalSegmentSize(DataSize walSegmentSize) {
        this.walSegmentSize = walSegmentSize;
        return this;
    }

    @MinDataSize("1MB")
    public DataSize getBlockCacheSize() {
        return blockCacheSize;
    }

    @Config("stele.block-cache.size")
    @ConfigDescription("Memory for blocks of SST files, their indexes and filters")
    public StorageConfig setBlockCacheSize(DataSize blockCacheSize) {
        this.blockCacheSize = blockCacheSize;
        return this;
    }

    @MinDataSize("1MB")
    public DataSize getKeyIndexCacheSize() {
        return keyIndexCacheSize;
    }

    @Config("stele.key-index-cache.size")
    @ConfigDescription("Memory for blocks of the key indexes of column files")
    public StorageConfig setKeyIndexCacheSize(DataSize keyIndexCacheSize) {
        this.keyIndexCacheSize = keyIndexCacheSize;
        return this;
    }

    @MinDataSize("0B")
    public DataSize getRowCacheSize() {
        return rowCacheSize;
    }

    @Config("stele.row-cache.size")
    @ConfigDescription("Memory for the newest rows of keys that were looked up; 0B: none")
    public StorageConfig setRowCacheSize(DataSize rowCacheSize) {
        this.rowCacheSize = rowCacheSize;
        return this;
    }

    @MinDataSize("0B")
    public DataSize getFooterCacheSize() {
        return footerCacheSize;
    }

    @Config("stele.footer-cache.size")
    @ConfigDescription(
            "Memory for footers and checksums of column files that were read or written before; 0B: none")
    public StorageConfig setFooterCacheSize(DataSize footerCacheSize) {
        this.footerCacheSize = footerCacheSize;
        return this;
    }

    @MinDataSize("1MB")
    public DataSize getRowGroupCacheSize() {
        return rowGroupCacheSize;
    }

    @Config("stele.row-group-cache.size")
    @ConfigDescription("Memory for row groups of column files that lookups by key read")
    public StorageConfig setRowGroupCacheSize(DataSize rowGroupCacheSize) {
        this.rowGroupCacheSize = rowGroupCacheSize;
        return this;
    }

    @MinDataSize("0B")
    public DataSize getDecodedColumnCacheSize() {
        return decodedColumnCacheSize;
    }

    @Config("stele.decoded-column-cache.size")
    @ConfigDescription("Memory for columns of column files as aggregations read them; 0B: none")
    public StorageConfig setDecodedColumnCacheSize(DataSize decodedColumnCacheSize) {
        this.decodedColumnCacheSize = decodedColumnCacheSize;
        return this;
    }

    @Min(1)
    @Max(1024)
    public int getShardThreads() {
        return shardThreads;
    }

    @Config("stele.threads.shards")
    @ConfigDescription("Threads that apply writes to shards")
    public StorageConfig setShardThreads(int shardThreads) {
        this.shardThreads = shardThreads;
        return this;
    }

    @Min(1)
    @Max(1024)
    public int getBackgroundThreads() {
        return backgroundThreads;
    }

    @Config("stele.threads.background")
    @ConfigDescription("Threads that flush, and half as many that compact")
    public StorageConfig setBackgroundThreads(int backgroundThreads) {
        this.backgroundThreads = backgroundThreads;
        return this;
    }

    @MinDuration("1ms")
    public Duration getMaxWriteWait() {
        return maxWriteWait;
    }

    @Config("stele.write.max-wait")
    @ConfigDescription(
            "A write that is held back for so long, because flushes or the store are behind, is refused as BUSY")
    public StorageConfig setMaxWriteWait(Duration maxWriteWait) {
        this.maxWriteWait = maxWriteWait;
        return this;
    }

    @Min(1)
    @Max(ApplyOptions.MOST_WORKERS)
    public int getApplyMaxWorkers() {
        return applyMaxWorkers;
    }

    @Config("stele.apply.max-workers")
    @LegacyConfig("stele.apply.max-lanes")
    @ConfigDescription(
            "A shard whose log is faster than one thread applies it is applied by at most so many; 1: never by more than one")
    public StorageConfig setApplyMaxWorkers(int applyMaxWorkers) {
        this.applyMaxWorkers = applyMaxWorkers;
        return this;
    }

    public boolean isWarmOnFlush() {
        return warmOnFlush;
    }

    @Config("stele.cache.warm-on-flush")
    @ConfigDescription("Whether files that a flush writes enter the data page cache at once")
    public StorageConfig setWarmOnFlush(boolean warmOnFlush) {
        this.warmOnFlush = warmOnFlush;
        return this;
    }

    public boolean isWarmOnCompaction() {
        return warmOnCompaction;
    }

    @Config("stele.cache.warm-on-compaction")
    @ConfigDescription(
            "Whether files that a merge writes do so as well, if most of what it merges is in the cache")
    public StorageConfig setWarmOnCompaction(boolean warmOnCompaction) {
        this.warmOnCompaction = warmOnCompaction;
        return this;
    }

    @NotNull
    public DataSize getCompactionRateLimit() {
        return compactionRateLimit;
    }

    @Config("stele.compaction.rate-limit")
    @ConfigDescription("Bytes a second that all merges together write at most; 0 for no limit")
    public StorageConfig setCompactionRateLimit(DataSize compactionRateLimit) {
        this.compactionRateLimit = compactionRateLimit;
        return this;
    }
}
