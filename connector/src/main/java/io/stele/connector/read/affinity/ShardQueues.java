package io.stele.connector.read.affinity;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The bytes queued for reading in each shard by the running queries of this coordinator. The bytes
 * of a split count from its planning until its query ends. The engine does not report to a
 * connector how much was already read. So a query that is nearly done counts as one that has just
 * begun. Thread-safe.
 */
public final class ShardQueues {
    /**
     * Some seconds of a worker's work; shorter queues end before another worker has fetched the
     * pages.
     */
    static final long HOT_BYTES = 1L << 30;

    /**
     * A queue is hot above this multiple of the mean; below it, other shards keep the workers
     * equally busy.
     */
    static final int HOT_SHARE = 4;

    /** The largest number of queries that are counted. */
    private static final int MAX_QUERIES = 10_000;

    private final Predicate<String> isRunning;

    @GuardedBy("this")
    private final Map<String, Map<Integer, long[]>> running = new HashMap<>();

    /**
     * @param isRunning whether the query of a snapshot (by the id of its lease) is still running
     */
    public ShardQueues(Predicate<String> isRunning) {
        this.isRunning = requireNonNull(isRunning, "isRunning is null");
    }

    /**
     * Counts what a query is going to read of a table.
     *
     * @param bytes by shard of the table group
     */
    public synchronized void add(String snapshotId, int tableGroup, long[] bytes) {
        if (running.size() >= MAX_QUERIES && !running.containsKey(snapshotId)) {
            return;
        }
        running.computeIfAbsent(snapshotId, _ -> new HashMap<>())
                .merge(tableGroup, bytes.clone(), ShardQueues::sum);
    }

    private static long[] sum(long[] one, long[] other) {
        long[] sum = Arrays.copyOf(one, Math.max(one.length, other.length));
        for (int i = 0; i < other.length; i++) {
            sum[i] += other[i];
        }
        return sum;
    }

    /** The present reads of running queries in a table group. */
    public synchronized Queues of(int tableGroup) {
        running.keySet().removeIf(isRunning.negate());
        long[] queued = {};
        for (Map<Integer, long[]> query : running.values()) {
            queued = sum(queued, query.getOrDefault(tableGroup, new long[0]));
        }
        return new Queues(queued);
    }

    /** The number of queries that are counted. */
    synchronized int size() {
        return running.size();
    }

    /** The bytes queued in the shards of a table group at one moment. Immutable. */
    static final class Queues {
        static final Queues NONE = new Queues(new long[0]);

        private final long[] queued; // bytes by shard
        private final long sum;

        private Queues(long[] queued) {
            this.queued = queued;
            this.sum = Arrays.stream(queued).sum();
        }

        /**
         * The factor by which a shard's work should be spread: 1, or 2 or more if its queue is hot.
         *
         * @param shardCount of the table group
         */
        long spread(int shard, int shardCount) {
            if (shard >= queued.length) {
                return 1;
            }
            long hot = Math.max(HOT_BYTES, HOT_SHARE * (sum / shardCount));
            return 1 + queued[shard] / hot;
        }
    }
}
