package io.stele.engine.wal;

import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A granted {@link LogHold} of a {@link NodeLog}: shards that are held in its {@link AppendQueue}
 * at one LSN, and which of them have no record yet. Thread-safe: guarded by itself. Futures of
 * other callers complete outside of the lock, since their callbacks may wait for it.
 */
final class GrantedHold implements LogHold {
    private final AppendQueue queue;
    private final AppendQueue.Grant grant;
    private final Set<ShardId> withoutRecord;
    private boolean released;

    GrantedHold(AppendQueue queue, AppendQueue.Grant grant) {
        this.queue = queue;
        this.grant = grant;
        withoutRecord = new HashSet<>(grant.previous().keySet());
    }

    @Override
    public Lsn lsn() {
        return grant.lsn();
    }

    @Override
    public Map<ShardId, Lsn> previous() {
        return Map.copyOf(grant.previous());
    }

    @Override
    public synchronized CompletableFuture<LogPosition> append(
            ShardId shard, RecordType type, List<ByteBuffer> payload, @Nullable Object attachment) {
        if (released || !withoutRecord.contains(shard)) {
            throw new IllegalStateException(
                    String.format(
                            Locale.ROOT,
                            "Expected shard %s to be held and without a record at LSN %s, found it %s",
                            shard,
                            lsn(),
                            released ? "released" : "not held, or with a record"));
        }
        PendingRecord record = PendingRecord.createHeld(shard, type, payload, attachment);
        try {
            queue.addHeld(record, lsn());
            withoutRecord.remove(shard);
        } catch (SteleException e) {
            record.future.completeExceptionally(e);
        }
        return record.future;
    }

    @Override
    public void release() {
        List<PendingRecord> voids = new ArrayList<>();
        synchronized (this) {
            if (released) {
                return;
            }
            released = true;
            for (ShardId shard : withoutRecord) {
                voids.add(PendingRecord.createHeld(shard, RecordType.VOID, List.of(), null));
            }
        }
        queue.release(grant.previous().keySet(), lsn(), voids);
    }

    @Override
    public void abandon(SteleException cause) {
        synchronized (this) {
            if (released) {
                return;
            }
            released = true;
        }
        queue.abandon(grant.previous().keySet(), cause).fail(cause);
    }
}
