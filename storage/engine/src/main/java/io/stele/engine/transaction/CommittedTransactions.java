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
 * The outcomes of one-phase transaction commits, in memory, the log and then the store, for clients
 * that repeat a commit after a restart. They are in memory and in the log; before the log is
 * trimmed they are saved in the store, many in one object.
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

    private final SavedOutcomeStore saved;
    private final long epoch;
    private final Object saving = new Object(); // held by the thread that saves

    // Replaced under this
    private volatile Unsaved unsaved =
            new Unsaved(new ConcurrentHashMap<>(), new ConcurrentHashMap<>());

    private long objects; // written by this engine; guarded by saving

    /**
     * @param epoch of this engine
     */
    public CommittedTransactions(SavedOutcomeStore saved, long epoch) {
        this.saved = requireNonNull(saved, "saved is null");
        this.epoch = epoch;
    }

    /**
     * The outcomes that are not saved, in concurrent maps. A transaction in neither is saved.
     *
     * @param added since the last save began
     * @param saving those that the last save takes, until they are saved
     */
    private record Unsaved(Map<String, Lsn> added, Map<String, Lsn> saving) {
        int count() {
            return added.size() + saving.size();
        }

        Unsaved begin() {
            Map<String, Lsn> all = added;
            if (!saving.isEmpty()) { // some of the last time are not saved
                all = new ConcurrentHashMap<>(saving);
                all.putAll(added);
            }
            return new Unsaved(new ConcurrentHashMap<>(), all);
        }
    }

    /** Adds a committed transaction: its records are durable, or a start has found them. */
    public synchronized void add(String transactionId, Lsn lsn) {
        unsaved.added().put(transactionId, lsn);
    }

    /**
     * Checks that there is room, before a commit that will be added here.
     *
     * @throws SteleException BUSY when too many are not saved, because the store fails
     */
    void checkRoom() {
        int count = unsaved.count();
        if (count >= MAX_UNSAVED) {
            throw new SteleException(
                    ErrorCode.BUSY,
                    "Expected fewer than %d commits whose outcome is not in the store, found %d"
                            .formatted(MAX_UNSAVED, count));
        }
    }

    /** Whether some should be saved, though the log is not trimmed. */
    public boolean isLarge() {
        return unsaved.count() >= MAX_UNSAVED / 2;
    }

    /** The commit LSN of a transaction that is not saved. */
    Optional<Lsn> find(String transactionId) {
        Unsaved present = unsaved;
        return Optional.ofNullable(present.added().get(transactionId))
                .or(() -> Optional.ofNullable(present.saving().get(transactionId)));
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
            Map<String, Lsn> all = beginSaving();
            Map<Long, Map<String, Lsn>> byEpoch = new TreeMap<>();
            all.forEach(
                    (id, lsn) ->
                            byEpoch.computeIfAbsent(
                                            TransactionIds.epoch(id), of -> new LinkedHashMap<>())
                                    .put(id, lsn));
            for (Map.Entry<Long, Map<String, Lsn>> of : byEpoch.entrySet()) {
                save(of.getKey(), of.getValue(), collector);
            }
        }
    }

    private synchronized Map<String, Lsn> beginSaving() {
        unsaved = unsaved.begin();
        return unsaved.saving();
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
        String path = SavedOutcomeStore.path(ofEpoch, epoch, objects);
        collector.saved(path);
        saved.write(path, outcomes);
        outcomes.keySet().forEach(unsaved.saving()::remove);
    }
}
