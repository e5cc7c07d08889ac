package io.stele.engine.wal;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ShardId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A record on its way from an append call to the disk, with its LSN once that is assigned, and the
 * caller's future. Guarded by the lock of its {@link AppendQueue}, then confined to the log thread.
 */
final class PendingRecord {
    /**
     * Memory of a record in the queue besides its payload, so that empty records are bounded, too.
     */
    private static final int OVERHEAD_BYTES = 64;

    private static final long UNASSIGNED = -1;

    final ShardId shard;
    final RecordType type;
    final List<ByteBuffer> payload;
    final int length;
    final @Nullable Object attachment;
    final boolean isUrgent; // it ends an operation for which others wait
    final CompletableFuture<LogPosition> future = new CompletableFuture<>();
    private List<PendingRecord> together = List.of();
    private long lsn = UNASSIGNED;

    private PendingRecord(
            ShardId shard,
            RecordType type,
            List<ByteBuffer> payload,
            int length,
            @Nullable Object attachment,
            boolean isUrgent) {
        this.shard = shard;
        this.type = type;
        this.payload = payload;
        this.length = length;
        this.attachment = attachment;
        this.isUrgent = isUrgent;
    }

    /**
     * A record without LSN.
     *
     * @throws IllegalArgumentException if the payload is larger than the options allow
     */
    static PendingRecord create(
            ShardId shard,
            RecordType type,
            List<ByteBuffer> payload,
            @Nullable Object attachment,
            LogOptions options) {
        return create(shard, type, payload, attachment, options.recordBytes(), false);
    }

    /**
     * As {@link #create}, of a small record that ends an operation: it passes records for which the
     * disk has no room.
     */
    static PendingRecord createUrgent(
            ShardId shard,
            RecordType type,
            List<ByteBuffer> payload,
            @Nullable Object attachment,
            LogOptions options) {
        return create(shard, type, payload, attachment, options.recordBytes(), true);
    }

    /** A record of a hold, which may be larger than others, and is urgent. */
    static PendingRecord createHeld(
            ShardId shard, RecordType type, List<ByteBuffer> payload, @Nullable Object attachment) {
        return create(shard, type, payload, attachment, LogHold.MAX_RECORD_BYTES, true);
    }

    private static PendingRecord create(
            ShardId shard,
            RecordType type,
            List<ByteBuffer> payload,
            @Nullable Object attachment,
            int limitBytes,
            boolean isUrgent) {
        requireNonNull(shard, "shard is null");
        requireNonNull(type, "type is null");
        long length = 0;
        for (ByteBuffer piece : payload) {
            length += piece.remaining();
        }
        if (length > limitBytes) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected a log record of at most %d bytes, found %d for shard %s",
                            limitBytes,
                            length,
                            shard));
        }
        return new PendingRecord(
                shard, type, List.copyOf(payload), (int) length, attachment, isUrgent);
    }

    /**
     * All records that are written together with this one, itself among them: in one group, with
     * one LSN. Empty: it is written alone.
     */
    List<PendingRecord> together() {
        return together;
    }

    /**
     * Joins records that are to be written together, in this order; called before they are queued.
     */
    static void join(List<PendingRecord> records) {
        List<PendingRecord> all = List.copyOf(records);
        all.forEach(record -> record.together = all);
    }

    boolean assigned() {
        return lsn != UNASSIGNED;
    }

    void assign(long value) {
        if (assigned()) {
            throw new IllegalStateException(
                    String.format(Locale.ROOT, "Expected a record without LSN, found LSN %d", lsn));
        }
        lsn = value;
    }

    long lsn() {
        return lsn;
    }

    int queueBytes() {
        return length + OVERHEAD_BYTES;
    }
}
