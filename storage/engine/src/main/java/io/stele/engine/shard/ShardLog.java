package io.stele.engine.shard;

import io.stele.engine.wal.LogMark;
import io.stele.engine.wal.LogPosition;
import io.stele.engine.wal.RecordType;
import io.stele.protocol.ShardId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The write-ahead log of the node, as a shard uses it to append its records. */
public interface ShardLog {
    /** As {@link io.stele.engine.wal.NodeLog#append}. */
    CompletableFuture<LogPosition> append(
            ShardId shard, RecordType type, List<ByteBuffer> payload, @Nullable Object attachment);

    /** As {@link io.stele.engine.wal.NodeLog#hasRoom}. */
    boolean hasRoom(long bytes);

    /** As {@link io.stele.engine.wal.NodeLog#appendNow}. */
    CompletableFuture<LogPosition> appendNow(
            ShardId shard, RecordType type, List<ByteBuffer> payload, @Nullable Object attachment);

    /** The largest payload of a record, in bytes. */
    int recordBytes();

    /** As {@link io.stele.engine.wal.NodeLog#tryAppend}. */
    Optional<CompletableFuture<LogPosition>> tryAppend(
            ShardId shard, RecordType type, List<ByteBuffer> payload, @Nullable Object attachment);

    /** As {@link io.stele.engine.wal.NodeLog#durable}. */
    LogMark durable();
}
