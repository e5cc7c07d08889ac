package io.stele.storage.engine;

import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import io.stele.protocol.api.ScanMode;
import io.stele.protocol.api.ScanPlan;
import io.stele.protocol.api.TableStatistics;
import io.stele.protocol.api.WrittenFile;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.storage.objectstore.ObjectStore;
import io.stele.storage.scan.RowCursor;
import io.stele.storage.wal.HybridClock;
import io.stele.storage.wal.LogFiles;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The storage of a node: every shard of every table, its log, its transactions and its read points.
 *
 * <p>What a future carries as failure, and what is thrown, is a {@link
 * io.stele.protocol.SteleException}. Futures complete on the engine's own threads: continue
 * elsewhere with anything that waits. Safe for use by many threads.
 */
public final class StorageEngine implements AutoCloseable {
    private StorageEngine() {}

    /**
     * Opens the storage: loads the manifests, replays the log, resolves transactions in doubt;
     * serves when it returns.
     *
     * @throws io.stele.protocol.SteleException CORRUPT_DATA or STORE_FAILED: nothing was changed
     *     that the next attempt needs
     */
    public static StorageEngine open(
            StorageOptions options,
            ObjectStore warehouse,
            LogFiles log,
            HybridClock clock,
            EngineThreads threads)
            throws IOException {
        throw notLanded();
    }

    /**
     * Writes a batch; completes when it is durable and every later read sees it.
     *
     * @param sequence rises by writer and shard; a repetition is answered with the outcome of the
     *     first
     * @param batch must not change any more: the memtable keeps it
     */
    public CompletableFuture<Lsn> write(
            ShardId shard, UUID writerId, long sequence, byte[] batch, int offset, int length) {
        throw notLanded();
    }

    /**
     * Begins a transaction; with {@code readLsn}, its commit fails where a changed key is newer
     * than that.
     */
    public String beginTransaction(TableId tableId, Optional<Lsn> readLsn) {
        throw notLanded();
    }

    /**
     * Adds a batch to a transaction; it is checked now and written with the commit.
     *
     * @throws io.stele.protocol.SteleException TRANSACTION_NOT_FOUND, TRANSACTION_TOO_LARGE, or
     *     what is wrong with the batch
     */
    public void stage(String transactionId, ShardId shard, byte[] batch, int offset, int length) {
        throw notLanded();
    }

    /**
     * Makes the staged rows and the files visible at one LSN, in all shards or none. Safe to
     * repeat: a committed transaction answers with its LSN, also after a restart.
     */
    public CompletableFuture<Lsn> commit(
            String transactionId, List<WrittenFile> files, Optional<TableId> publish) {
        throw notLanded();
    }

    /** Gives a transaction up; an unknown or finished one is no error. */
    public CompletableFuture<@Nullable Void> abort(String transactionId) {
        throw notLanded();
    }

    /**
     * Opens a read point at {@code at}, or at the present: then it sees every write acknowledged
     * before the call. Completes when all shards have applied everything at or below it.
     * READ_POINT_EXPIRED if {@code at} is before the retained history.
     */
    public CompletableFuture<ReadPoint> openReadPoint(Optional<Lsn> at, Duration ttl) {
        throw notLanded();
    }

    /** An open read point; READ_POINT_EXPIRED if there is none of the id. */
    public ReadPoint readPoint(String readPointId) {
        throw notLanded();
    }

    /** Prolongs a lease to {@code ttl} from now; READ_POINT_EXPIRED if it is over. */
    public void renewReadPoint(String readPointId, Duration ttl) {
        throw notLanded();
    }

    /** Ends a lease; one that is over already is no error. */
    public void closeReadPoint(String readPointId) {
        throw notLanded();
    }

    /** What a scan reads: column files for the caller, and shards to ask for the rest. */
    public ScanPlan plan(ReadPoint readPoint, TableId tableId, ScanPredicate predicate) {
        throw notLanded();
    }

    /**
     * The rows of one shard: LIVE those in memory, SNAPSHOT all. Blocks on files.
     *
     * @param predicate rows that cannot match are left out
     * @param columnIds a hint: only these columns of the rows need to be there, others may be null;
     *     empty: all
     */
    public RowCursor scan(
            ReadPoint readPoint,
            TableId tableId,
            ShardId shard,
            ScanMode mode,
            ScanPredicate predicate,
            List<Integer> columnIds)
            throws IOException {
        throw notLanded();
    }

    /**
     * The rows of keys (of row ids in tables without a primary key, which then need {@code shard}),
     * in their order; empty: absent. Without an LSN each key's latest acknowledged row. Blocks on
     * files.
     */
    public List<Optional<byte[]>> multiGet(
            TableId tableId, Optional<Lsn> readLsn, List<byte[]> keys) throws IOException {
        throw notLanded();
    }

    /** What is known of the rows of a table without reading them. */
    public TableStatistics statistics(TableId tableId) {
        throw notLanded();
    }

    /** Completes when everything acknowledged before the call is in files. */
    public CompletableFuture<@Nullable Void> flush(TableId tableId) {
        throw notLanded();
    }

    /**
     * Flushes, then merges files as far as that makes reads cheaper; completes when nothing is left
     * to merge.
     */
    public CompletableFuture<@Nullable Void> compact(TableId tableId) {
        throw notLanded();
    }

    public EngineStatus status() {
        throw notLanded();
    }

    /**
     * Stops: what is acknowledged is in the log and the files. The pools of {@code threads} are the
     * caller's to close.
     */
    @Override
    public void close() {
        throw notLanded();
    }

    private static UnsupportedOperationException notLanded() {
        return new UnsupportedOperationException("Not landed yet");
    }
}
