package io.stele.engine.node;

import static java.util.Objects.requireNonNull;

import io.stele.engine.manifest.ManifestStore;
import io.stele.engine.shard.apply.ApplyOptions;
import io.stele.engine.snapshot.Retention;
import io.stele.engine.wal.LogId;
import io.stele.engine.wal.LogOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * The settings of a storage engine: sizes, limits and times. Immutable; start from {@link #DEFAULT}
 * and change single settings.
 *
 * @param log limits of the write-ahead log
 * @param memTableBytes a table's memtable in a shard is sealed and flushed at this size
 * @param memTableTotalBytes all memtables of the node together; the largest are flushed beyond
 *     half, writes wait beyond all
 * @param memTableAge a memtable older than this is flushed at any size, so that the log can be
 *     trimmed
 * @param retention how long old versions stay readable without a lease, for tables without an
 *     option of their own
 * @param heldHistory by how much longer than the retention leases of snapshots may keep history
 * @param leaseGrace for how long after a start all history is kept, until leases are renewed
 * @param transactionBytes the limit of rows staged in one transaction
 * @param loadBufferBytes rows that one bulk load collects before it writes them to files; fewer go
 *     to the log
 * @param onePhaseBytes a transaction of rows alone, up to this size, commits in one phase; 0: all
 *     transactions commit in two phases
 * @param pendingWriteBytes the limit for batches that are not acknowledged yet, and staged rows, of
 *     the whole node; further writes are refused as BUSY
 * @param transactionIdle a transaction without a request for this long is aborted
 * @param collectionGrace unreferenced files found at a start are deleted after this time, and
 *     incomplete files after they did not change for this long
 * @param targetFileBytes compaction makes files of about this size
 * @param caches the capacities of the in-memory caches of files and rows
 * @param compactionBytesPerSecond limit of the bytes that all compactions together write; empty: no
 *     limit. Flushes have no limit, because writers wait for them
 * @param maxWriteWait a write that is held back for this long, because flushes or the store are
 *     behind, is refused as BUSY
 * @param apply the number of apply workers of a hot shard
 * @param manifestChanges the least number of files that a manifest lists beside its base before a
 *     new base is written
 * @param maxChangesBytes the approximate memory of a change scan of one shard; more changes are
 *     read in several passes
 * @param givenUpLog the log without which to start, if it is the warehouse's log; records that only
 *     this log has are lost
 */
public record StorageOptions(
        LogOptions log,
        long memTableBytes,
        long memTableTotalBytes,
        Duration memTableAge,
        Duration retention,
        Duration heldHistory,
        Duration leaseGrace,
        long transactionBytes,
        long loadBufferBytes,
        long onePhaseBytes,
        long pendingWriteBytes,
        Duration transactionIdle,
        Duration collectionGrace,
        long targetFileBytes,
        CacheOptions caches,
        OptionalLong compactionBytesPerSecond,
        Duration maxWriteWait,
        ApplyOptions apply,
        int manifestChanges,
        long maxChangesBytes,
        Optional<LogId> givenUpLog) {
    /**
     * Memtables of 64 MiB make column files of useful size, and replay of a full one takes about a
     * second; 1 GiB for all memtables. An age of a minute bounds the replay of quiet tables. An
     * hour of history for readers of the past, a day for those with leases. 512 MiB in a
     * transaction, since staged rows are held in memory; 64 MiB in the buffer of a bulk load, whose
     * files are then as large as those of a flush; 4 MiB in one phase, as much as a group of the
     * log accepts; 1 GiB for staged rows and pending batches. Files of 256 MiB, a few splits each.
     * 64 MiB of changes, since several change scans at a time hold them beside the memtables.
     */
    public static final StorageOptions DEFAULT =
            new StorageOptions(
                    LogOptions.DEFAULT,
                    64L << 20,
                    1L << 30,
                    Duration.ofSeconds(60),
                    Duration.ofHours(1),
                    Duration.ofHours(24),
                    Duration.ZERO,
                    512L << 20,
                    64L << 20,
                    4L << 20,
                    1L << 30,
                    Duration.ofHours(1),
                    Duration.ofMinutes(10),
                    256L << 20,
                    CacheOptions.DEFAULT,
                    OptionalLong.empty(),
                    Duration.ofSeconds(60),
                    ApplyOptions.DEFAULT,
                    ManifestStore.MIN_CHANGES,
                    64L << 20,
                    Optional.empty());

    public StorageOptions {
        requireNonNull(log, "log is null");
        check("memTableBytes", memTableBytes);
        check("memTableTotalBytes", memTableTotalBytes);
        check("memTableAge", memTableAge.toMillis());
        check("retention", retention.toMillis() + 1);
        check("heldHistory", heldHistory.toMillis() + 1);
        check("leaseGrace", leaseGrace.toMillis() + 1);
        check("transactionBytes", transactionBytes);
        check("loadBufferBytes", loadBufferBytes);
        check("onePhaseBytes", onePhaseBytes + 1);
        check("pendingWriteBytes", pendingWriteBytes);
        check("transactionIdle", transactionIdle.toMillis());
        check("collectionGrace", collectionGrace.toMillis() + 1);
        check("targetFileBytes", targetFileBytes);
        requireNonNull(caches, "caches is null");
        check("compactionBytesPerSecond", compactionBytesPerSecond.orElse(1));
        check("maxWriteWait", maxWriteWait.toMillis());
        requireNonNull(apply, "apply is null");
        check("manifestChanges", manifestChanges);
        check("maxChangesBytes", maxChangesBytes);
        requireNonNull(givenUpLog, "givenUpLog is null");
    }

    public StorageOptions withManifestChanges(int changes) {
        return with(draft -> draft.manifestChanges = changes);
    }

    public StorageOptions withGivenUpLog(Optional<LogId> logId) {
        return with(draft -> draft.givenUpLog = logId);
    }

    public StorageOptions withMaxChanges(long bytes) {
        return with(draft -> draft.maxChangesBytes = bytes);
    }

    public StorageOptions withApply(ApplyOptions newApply) {
        return with(draft -> draft.apply = newApply);
    }

    public StorageOptions withMaxWriteWait(Duration newMaxWriteWait) {
        return with(draft -> draft.maxWriteWait = newMaxWriteWait);
    }

    public StorageOptions withLog(LogOptions newLog) {
        return with(draft -> draft.log = newLog);
    }

    public StorageOptions withMemTables(long bytes, long totalBytes, Duration age) {
        return with(
                draft -> {
                    draft.memTableBytes = bytes;
                    draft.memTableTotalBytes = totalBytes;
                    draft.memTableAge = age;
                });
    }

    public StorageOptions withRetention(Duration newRetention) {
        return with(draft -> draft.retention = newRetention);
    }

    public StorageOptions withLeases(Duration newHeldHistory, Duration newLeaseGrace) {
        return with(
                draft -> {
                    draft.heldHistory = newHeldHistory;
                    draft.leaseGrace = newLeaseGrace;
                });
    }

    public StorageOptions withTransactions(long bytes, Duration idle) {
        return with(
                draft -> {
                    draft.transactionBytes = bytes;
                    draft.transactionIdle = idle;
                });
    }

    public StorageOptions withLoadBuffer(long bytes) {
        return with(draft -> draft.loadBufferBytes = bytes);
    }

    public StorageOptions withOnePhase(long bytes) {
        return with(draft -> draft.onePhaseBytes = bytes);
    }

    public StorageOptions withPendingWrites(long bytes) {
        return with(draft -> draft.pendingWriteBytes = bytes);
    }

    public StorageOptions withCollectionGrace(Duration grace) {
        return with(draft -> draft.collectionGrace = grace);
    }

    public StorageOptions withTargetFileBytes(long bytes) {
        return with(draft -> draft.targetFileBytes = bytes);
    }

    public StorageOptions withCaches(CacheOptions newCaches) {
        return with(draft -> draft.caches = newCaches);
    }

    public StorageOptions withCompactionLimit(OptionalLong bytesPerSecond) {
        return with(draft -> draft.compactionBytesPerSecond = bytesPerSecond);
    }

    /**
     * How long history is kept, with and without leases.
     *
     * @param mayHaveLeases whether an engine before may have given leases
     */
    public Retention history(boolean mayHaveLeases) {
        return new Retention(
                retention.toMillis(),
                heldHistory.toMillis(),
                mayHaveLeases ? leaseGrace.toMillis() : 0);
    }

    private static void check(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(
                    "Expected " + name + " to be positive, found " + value);
        }
    }

    private StorageOptions with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.build();
    }

    /** A mutable copy of the settings, so that each component is copied in one place. */
    private static final class Draft {
        private LogOptions log;
        private long memTableBytes;
        private long memTableTotalBytes;
        private Duration memTableAge;
        private Duration retention;
        private Duration heldHistory;
        private Duration leaseGrace;
        private long transactionBytes;
        private long loadBufferBytes;
        private long onePhaseBytes;
        private long pendingWriteBytes;
        private Duration transactionIdle;
        private Duration collectionGrace;
        private long targetFileBytes;
        private CacheOptions caches;
        private OptionalLong compactionBytesPerSecond;
        private Duration maxWriteWait;
        private ApplyOptions apply;
        private int manifestChanges;
        private long maxChangesBytes;
        private Optional<LogId> givenUpLog;

        Draft(StorageOptions from) {
            log = from.log;
            memTableBytes = from.memTableBytes;
            memTableTotalBytes = from.memTableTotalBytes;
            memTableAge = from.memTableAge;
            retention = from.retention;
            heldHistory = from.heldHistory;
            leaseGrace = from.leaseGrace;
            transactionBytes = from.transactionBytes;
            loadBufferBytes = from.loadBufferBytes;
            onePhaseBytes = from.onePhaseBytes;
            pendingWriteBytes = from.pendingWriteBytes;
            transactionIdle = from.transactionIdle;
            collectionGrace = from.collectionGrace;
            targetFileBytes = from.targetFileBytes;
            caches = from.caches;
            compactionBytesPerSecond = from.compactionBytesPerSecond;
            maxWriteWait = from.maxWriteWait;
            apply = from.apply;
            manifestChanges = from.manifestChanges;
            maxChangesBytes = from.maxChangesBytes;
            givenUpLog = from.givenUpLog;
        }

        StorageOptions build() {
            return new StorageOptions(
                    log,
                    memTableBytes,
                    memTableTotalBytes,
                    memTableAge,
                    retention,
                    heldHistory,
                    leaseGrace,
                    transactionBytes,
                    loadBufferBytes,
                    onePhaseBytes,
                    pendingWriteBytes,
                    transactionIdle,
                    collectionGrace,
                    targetFileBytes,
                    caches,
                    compactionBytesPerSecond,
                    maxWriteWait,
                    apply,
                    manifestChanges,
                    maxChangesBytes,
                    givenUpLog);
        }
    }
}
