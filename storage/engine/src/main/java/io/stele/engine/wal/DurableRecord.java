package io.stele.engine.wal;

import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import org.jspecify.annotations.Nullable;

/**
 * A log record that has just become durable, as passed to the {@link LogListener}.
 *
 * @param attachment the object that the caller passed with the record, never written anywhere;
 *     {@code null} if none
 */
public record DurableRecord(ShardId shard, Lsn lsn, RecordType type, @Nullable Object attachment) {}
