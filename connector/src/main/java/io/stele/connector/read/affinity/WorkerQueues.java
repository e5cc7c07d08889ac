package io.stele.connector.read.affinity;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The bytes queued for reading on each worker by the running queries of this coordinator. The bytes
 * of a split count from its planning until its query ends. The engine does not report to a
 * connector how much was already read. So a query that is nearly done counts as one that has just
 * begun. Thread-safe.
 */
public final class WorkerQueues {
    /**
     * A worker is busy with this many times the queue of another one; with less, that one would
     * soon be as busy, and it has fewer of the pages.
     */
    private static final int BUSY_FACTOR = 2;

    /** The largest number of queries that are counted. */
    private static final int MAX_QUERIES = 10_000;

    private final Predicate<String> isRunning;
    private final long busyBytes;

    @GuardedBy("this")
    private final Map<String, Map<String, Long>> running = new HashMap<>();

    /**
     * @param isRunning whether the query of a snapshot (by the id of its lease) is still running
     * @param busyBytes by which the queue of a busy worker is longer than that of another one; a
     *     smaller difference ends before that one has fetched the pages
     */
    public WorkerQueues(Predicate<String> isRunning, long busyBytes) {
        this.isRunning = requireNonNull(isRunning, "isRunning is null");
        this.busyBytes = busyBytes;
    }

    /**
     * Counts what a query is going to read.
     *
     * @param bytes by worker
     */
    public synchronized void add(String snapshotId, Map<String, Long> bytes) {
        if (running.size() >= MAX_QUERIES && !running.containsKey(snapshotId)) {
            return;
        }
        Map<String, Long> query = running.computeIfAbsent(snapshotId, _ -> new HashMap<>());
        bytes.forEach((worker, more) -> query.merge(worker, more, Long::sum));
    }

    /** The present reads of running queries. */
    public synchronized Queues now() {
        running.keySet().removeIf(isRunning.negate());
        Map<String, Long> queued = new HashMap<>();
        running.values()
                .forEach(
                        query ->
                                query.forEach(
                                        (worker, bytes) -> queued.merge(worker, bytes, Long::sum)));
        return new Queues(queued, busyBytes);
    }

    /** The number of queries that are counted. */
    synchronized int size() {
        return running.size();
    }

    /** The bytes queued on workers at one moment. Immutable. */
    static final class Queues {
        static final Queues NONE = new Queues(Map.of(), Long.MAX_VALUE);

        private final Map<String, Long> queued; // bytes by worker
        private final long busyBytes;

        private Queues(Map<String, Long> queued, long busyBytes) {
            this.queued = Map.copyOf(queued);
            this.busyBytes = busyBytes;
        }

        long bytes(String worker) {
            return queued.getOrDefault(worker, 0L);
        }

        /** Whether a worker may be busy, compared with one without a queue. */
        boolean isLong(String worker) {
            return bytes(worker) >= busyBytes;
        }

        /** Whether another worker should do a part of the work of this one. */
        boolean isBusy(String worker, String other) {
            return bytes(worker) - bytes(other) >= busyBytes
                    && bytes(worker) >= BUSY_FACTOR * bytes(other);
        }
    }
}
