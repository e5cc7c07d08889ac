package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.engine.node.WriteBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The rows of a bulk load that are neither in files nor staged yet. Their memory is taken from the
 * node's budget before they come, and goes on with them.
 *
 * <p>Invariant: nothing is held once the load or its transaction has ended. Guarded by itself.
 */
final class HeldRows {
    private final String transactionId;
    private final WriteBudget budget;

    @GuardedBy("this")
    private Map<Integer, List<byte[]>> batches = new TreeMap<>();

    @GuardedBy("this")
    private long sizeBytes;

    @GuardedBy("this")
    private boolean hasEnded;

    HeldRows(String transactionId, WriteBudget budget) {
        this.transactionId = requireNonNull(transactionId, "transactionId is null");
        this.budget = requireNonNull(budget, "budget is null");
    }

    /**
     * Holds a batch of a shard, whose memory is taken.
     *
     * @throws io.stele.protocol.SteleException TRANSACTION_NOT_FOUND if the transaction has ended:
     *     the memory is given back
     */
    void add(int shard, byte[] batch) {
        synchronized (this) {
            if (!hasEnded) {
                batches.computeIfAbsent(shard, _ -> new ArrayList<>()).add(batch);
                sizeBytes += batch.length;
                return;
            }
        }
        budget.giveBackStaged(batch.length);
        throw Transactions.notFound(transactionId);
    }

    synchronized long sizeBytes() {
        return sizeBytes;
    }

    /** Passes on all batches, by shard, with their memory. */
    synchronized Map<Integer, List<byte[]>> removeAll() {
        Map<Integer, List<byte[]>> all = batches;
        batches = new TreeMap<>();
        sizeBytes = 0;
        return all;
    }

    /** Frees what is held, now and later; any thread. */
    void end() {
        long freed;
        synchronized (this) {
            hasEnded = true;
            freed = sizeBytes;
            var unused = removeAll();
        }
        if (freed > 0) {
            budget.giveBackStaged(freed);
        }
    }
}
