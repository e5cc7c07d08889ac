package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.wal.RecordType;
import io.stele.engine.wal.ReleasedRecords;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The outcomes of transactions that committed in one phase, for clients that repeat a commit, also
 * after a restart. They are in memory and in the log; before the log is trimmed they are saved in
 * the store, many in one object.
 *
 * <p>Invariant: while a transaction's COMMIT record can be deleted from the log, it is saved. A
 * transaction is added when its record is durable and before it is applied, or when a start reads
 * it from the log.
 *
 * <p>Bounded: beyond {@link #MAX_UNSAVED}, commits are refused until some are saved. Thread-safe;
 * {@link #save} and {@link #findSaved} block on the store.
 */
public final class CommittedTransactions {
    /**
     * Each needs about 150 bytes of memory: 30 MB in all. Beyond half, they are saved at the next
     * tick.
     */
    private static final int MAX_UNSAVED = 200_000;

    private static final int MAX_IN_AN_OBJECT = 50_000; // some 2 MB

    private final SavedOutcomes saved;
    private final long epoch;
    private final Object saving = new Object(); // held by the thread that saves
    // Both are replaced under this; a transaction in neither is saved
    private volatile Map<String, Lsn> unsaved = new ConcurrentHashMap<>();
    private volatile Map<String, Lsn> beingSaved = new ConcurrentHashMap<>();
    private long objects; // written by this engine; guarded by saving

    /**
     * @param epoch of this engine
     */
    public CommittedTransactions(SavedOutcomes saved, long epoch) {
        this.saved = requireNonNull(saved, "saved is null");
        this.epoch = epoch;
    }

    /** Adds a committed transaction: its records are durable, or a start has found them. */
    public synchronized void add(String transactionId, Lsn lsn) {
        unsaved.put(transactionId, lsn);
    }

    /**
     * Checks that there is room, before a commit that will be added here.
     *
     * @throws SteleException BUSY when too many are not saved, because the store fails
     */
    void checkRoom() {
        int count = size();
        if (count >= MAX_UNSAVED) {
            throw new SteleException(
                    ErrorCode.BUSY,
                    "Expected fewer than %d commits whose outcome is not in the store, found %d"
                            .formatted(MAX_UNSAVED, count));
        }
    }

    /** Whether some should be saved, though the log is not trimmed. */
    public boolean isLarge() {
        return size() >= MAX_UNSAVED / 2;
    }

    private int size() {
        return unsaved.size() + beingSaved.size();
    }

    /** The commit LSN of a transaction that is not saved. */
    Optional<Lsn> find(String transactionId) {
        return Optional.ofNullable(unsaved.get(transactionId))
                .or(() -> Optional.ofNullable(beingSaved.get(transactionId)));
    }

    /** The commit LSN of a saved transaction; blocks on the store. */
    Optional<Lsn> findSaved(String transactionId) throws IOException {
        return saved.find(transactionId);
    }

    /**
     * A consumer that saves all outcomes before segments of the log are deleted.
     *
     * @param kept the other consumer of the segments' records
     * @param collector as for {@link #save}
     */
    public ReleasedRecords savingTo(ReleasedRecords kept, DecisionCollector collector) {
        return new ReleasedRecords() {
            @Override
            public boolean wants(ShardId shard, Lsn first, Lsn last) {
                return kept.wants(shard, first, last);
            }

            @Override
            public void take(ShardId shard, Lsn lsn, RecordType type, ByteBuffer payload)
                    throws IOException {
                kept.take(shard, lsn, type, payload);
            }

            @Override
            public void finish() throws IOException {
                kept.finish();
                save(collector);
            }
        };
    }

    /**
     * Saves all that were added before the call.
     *
     * @param collector deletes the objects later
     * @throws IOException when some are not saved; a later call saves them
     */
    public void save(DecisionCollector collector) throws IOException {
        synchronized (saving) {
            beginSaving();
            Map<Long, Map<String, Lsn>> byEpoch = new TreeMap<>();
            beingSaved.forEach(
                    (id, lsn) ->
                            byEpoch.computeIfAbsent(
                                            TransactionIds.epoch(id), of -> new LinkedHashMap<>())
                                    .put(id, lsn));
            for (Map.Entry<Long, Map<String, Lsn>> of : byEpoch.entrySet()) {
                save(of.getKey(), of.getValue(), collector);
            }
        }
    }

    private synchronized void beginSaving() {
        if (beingSaved.isEmpty()) {
            beingSaved = unsaved; // first, so that each outcome is always in one of them
        } else {
            beingSaved.putAll(unsaved); // some of the last time are not saved
        }
        unsaved = new ConcurrentHashMap<>();
    }

    private void save(long ofEpoch, Map<String, Lsn> outcomes, DecisionCollector collector)
            throws IOException {
        Map<String, Lsn> next = new LinkedHashMap<>();
        for (Map.Entry<String, Lsn> one : outcomes.entrySet()) {
            next.put(one.getKey(), one.getValue());
            if (next.size() == MAX_IN_AN_OBJECT) {
                write(ofEpoch, next, collector);
                next.clear();
            }
        }
        if (!next.isEmpty()) {
            write(ofEpoch, next, collector);
        }
    }

    private void write(long ofEpoch, Map<String, Lsn> outcomes, DecisionCollector collector)
            throws IOException {
        // No name is used twice: a write that failed may still replace what a later one wrote
        objects++;
        String path = SavedOutcomes.path(ofEpoch, epoch, objects);
        collector.saved(path);
        saved.write(path, outcomes);
        outcomes.keySet().forEach(beingSaved::remove);
    }
}
