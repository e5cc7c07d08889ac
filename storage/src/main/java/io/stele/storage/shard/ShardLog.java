package io.stele.storage.shard;

import io.stele.protocol.ShardId;
import io.stele.storage.wal.LogMark;
import io.stele.storage.wal.LogPosition;
import io.stele.storage.wal.RecordType;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The write-ahead log of the node, as a shard uses it to append its records. */
public interface ShardLog {
    /** As {@link io.stele.storage.wal.NodeLog#append}. */
    CompletableFuture<LogPosition> append(
            ShardId shard, RecordType type, List<ByteBuffer> payload, @Nullable Object attachment);

    /** As {@link io.stele.storage.wal.NodeLog#appendNow}. */
    CompletableFuture<LogPosition> appendNow(
            ShardId shard, RecordType type, List<ByteBuffer> payload, @Nullable Object attachment);

    /** The largest payload of a record. */
    int recordBytes();

    /** As {@link io.stele.storage.wal.NodeLog#tryAppend}. */
    Optional<CompletableFuture<LogPosition>> tryAppend(
            ShardId shard, RecordType type, List<ByteBuffer> payload, @Nullable Object attachment);

    /** As {@link io.stele.storage.wal.NodeLog#durable}. */
    LogMark durable();
}
