package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.record.RefusalRecord;
import io.stele.engine.shard.record.WriteRecord;
import io.stele.engine.shard.write.QueuedWrite;
import io.stele.engine.shard.write.Resolution;
import io.stele.engine.wal.RecordType;
import io.stele.protocol.wire.WriteBatchReader;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A log record of a write or its refusal, about to be appended, with the attachment that its
 * application will need.
 *
 * @param attachment a {@link PendingWrite} or a {@link PendingRefusal}
 */
record LogEntry(RecordType type, List<ByteBuffer> payload, Object attachment) {
    LogEntry {
        requireNonNull(type, "type is null");
        payload = List.copyOf(payload);
        requireNonNull(attachment, "attachment is null");
    }

    /**
     * The log entry of a write.
     *
     * @param resolution its decided result
     */
    static LogEntry of(
            QueuedWrite write, Resolution resolution, WriteTicket ticket, long firstRowId) {
        return switch (resolution) {
            case Resolution.Accepted accepted -> accepted(write, accepted, ticket, firstRowId);
            case Resolution.Refused refused -> refused(write, refused, ticket);
            case Resolution.Undecided _ ->
                    throw new IllegalStateException("Expected a decided batch to append");
        };
    }

    private static LogEntry accepted(
            QueuedWrite write, Resolution.Accepted accepted, WriteTicket ticket, long firstRowId) {
        WriteBatchReader batch = accepted.batch();
        List<ByteBuffer> payload =
                WriteRecord.encode(
                        write.writerId(),
                        write.sequence(),
                        firstRowId,
                        accepted.skipped(),
                        batch.buffer(),
                        batch.offset(),
                        batch.sizeBytes());
        return new LogEntry(
                RecordType.WRITE,
                payload,
                new PendingWrite(
                        write.writerId(),
                        write.sequence(),
                        firstRowId,
                        accepted.skipped(),
                        batch,
                        ticket,
                        write.acknowledgement()));
    }

    private static LogEntry refused(
            QueuedWrite write, Resolution.Refused refused, WriteTicket ticket) {
        RefusalRecord record =
                RefusalRecord.of(write.writerId(), write.sequence(), refused.cause());
        return new LogEntry(
                RecordType.REFUSED,
                record.encode(),
                new PendingRefusal(record, refused.cause(), ticket, write.acknowledgement()));
    }
}
