package io.stele.engine.node;

import io.stele.engine.shard.ShardLog;
import io.stele.engine.wal.LogHold;
import io.stele.engine.wal.LogMark;
import io.stele.engine.wal.LogPosition;
import io.stele.engine.wal.LogSpace;
import io.stele.engine.wal.LogStatus;
import io.stele.engine.wal.NodeLog;
import io.stele.engine.wal.RecordType;
import io.stele.engine.wal.RecoveredLog;
import io.stele.engine.wal.ReleasedRecords;
import io.stele.engine.wal.SnapshotLsn;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.scheduler.ExecutionContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The write-ahead log of a node as shards and transactions append to it, written by its own thread
 * or, in simulations, by tasks. Safe for use by many threads.
 */
public final class EngineLog implements ShardLog, AutoCloseable {
    private final NodeLog log;
    private final @Nullable ExecutionContext writer; // null: the log has its own thread

    public EngineLog(RecoveredLog recovered, Shards shards, EngineThreads threads) {
        if (threads.logThread().isPresent()) {
            this.writer = null;
            this.log = NodeLog.start(recovered, shards, threads.logThread().get());
        } else {
            this.writer = threads.contexts().createContext("log", threads.dataBound());
            this.log = NodeLog.unthreaded(recovered, shards);
        }
    }

    @Override
    public CompletableFuture<LogPosition> append(
            ShardId shard, RecordType type, List<ByteBuffer> payload, @Nullable Object attachment) {
        CompletableFuture<LogPosition> done = log.append(shard, type, payload, attachment);
        poke();
        return done;
    }

    @Override
    public Optional<CompletableFuture<LogPosition>> tryAppend(
            ShardId shard, RecordType type, List<ByteBuffer> payload, @Nullable Object attachment) {
        Optional<CompletableFuture<LogPosition>> done =
                log.tryAppend(shard, type, payload, attachment);
        poke();
        return done;
    }

    @Override
    public CompletableFuture<LogPosition> appendNow(
            ShardId shard, RecordType type, List<ByteBuffer> payload, @Nullable Object attachment) {
        CompletableFuture<LogPosition> done = log.appendNow(shard, type, payload, attachment);
        poke();
        return done;
    }

    /** As {@link NodeLog#appendTogether}. */
    public CompletableFuture<Lsn> appendTogether(List<NodeLog.Entry> records) {
        CompletableFuture<Lsn> done = log.appendTogether(records);
        poke();
        return done;
    }

    @Override
    public int recordBytes() {
        return log.recordBytes();
    }

    @Override
    public LogMark durable() {
        return log.durable();
    }

    public CompletableFuture<LogHold> hold(Collection<ShardId> shards) {
        CompletableFuture<LogHold> granted = log.hold(shards);
        poke();
        return granted;
    }

    public LogHold resume(Lsn lsn, Collection<ShardId> shards) {
        return log.resume(lsn, shards);
    }

    public void release(LogHold hold) {
        hold.release();
        poke();
    }

    public SnapshotLsn snapshotLsn(Collection<ShardId> shards) {
        return log.snapshotLsn(shards);
    }

    /** As {@link NodeLog#readLsn}. */
    public SnapshotLsn readLsn(Collection<ShardId> shards) {
        return log.readLsn(shards);
    }

    public int trim(Map<ShardId, Lsn> flushed, ReleasedRecords kept) throws IOException {
        int segments = log.trim(flushed, kept);
        poke(); // waiting records may have room now
        return segments;
    }

    @Override
    public boolean hasRoom(long bytes) {
        return log.hasRoom(bytes);
    }

    public LogSpace space() {
        return log.space();
    }

    public LogStatus status() {
        return log.status();
    }

    @Override
    public void close() {
        log.close();
    }

    /** Without a log thread, another thread must write the waiting records. */
    private void poke() {
        if (writer != null) {
            writer.execute(this::commit);
        }
    }

    private void commit() {
        while (log.commitWaiting()) {
            // each call writes one group of records
        }
    }
}
