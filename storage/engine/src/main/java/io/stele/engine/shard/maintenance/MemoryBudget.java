package io.stele.engine.shard.maintenance;

import io.stele.protocol.ShardId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory budget of all memtables of the node: the bytes in use and their limit. Beyond half of
 * the limit, a shard that holds at least an equal share flushes its largest memtable. Beyond the
 * limit, writes wait. Thread-safe.
 */
public final class MemoryBudget {
    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();
    private final Map<ShardId, Long> byShard = new ConcurrentHashMap<>();

    public MemoryBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Sets the memtable bytes that a shard holds now; called by its own context only. */
    void report(ShardId shard, long bytes) {
        Long before = byShard.put(shard, bytes);
        usedBytes.addAndGet(bytes - (before == null ? 0 : before));
    }

    public long usedBytes() {
        return usedBytes.get();
    }

    boolean isTight() {
        return usedBytes.get() > limitBytes / 2;
    }

    /** The used share of the limit; above 1 beyond it. */
    double usedShare() {
        return (double) usedBytes.get() / limitBytes;
    }

    /** Whether a shard holds at least its part of what is used, so that flushing it helps. */
    boolean holdsShare(long bytes) {
        return bytes * Math.max(1, byShard.size()) >= usedBytes.get();
    }
}
