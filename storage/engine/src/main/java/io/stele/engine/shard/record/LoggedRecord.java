package io.stele.engine.shard.record;

import static java.util.Objects.requireNonNull;

import io.stele.engine.wal.RecordType;
import io.stele.protocol.Lsn;
import java.nio.ByteBuffer;

/** A record of a shard as a start finds it in the log; its payload is not decoded yet. */
public record LoggedRecord(Lsn lsn, RecordType type, ByteBuffer payload) {
    public LoggedRecord {
        requireNonNull(lsn, "lsn is null");
        requireNonNull(type, "type is null");
        requireNonNull(payload, "payload is null");
    }
}
