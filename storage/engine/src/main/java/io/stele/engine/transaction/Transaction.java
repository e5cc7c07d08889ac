package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.node.WriteBudget;
import io.stele.engine.node.WriteRoom;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An open transaction in memory, with the validated batches of rows that clients have staged for
 * its commit. Guarded by itself.
 */
final class Transaction {
    private final String id;
    private final Optional<Lsn> readLsn;
    private final Optional<TableId> stagedTable;
    private final boolean isRepeatable;
    private final long limitBytes;
    private final WriteBudget budget;
    private final List<String> filePrefixes;
    private final Map<ShardId, List<Staged>> staged = new TreeMap<>();
    private final CompletableFuture<Lsn> outcome = new CompletableFuture<>();
    private final long ttlMillis;
    private long stagedBytes;
    private long deadlineMillis;
    private int suspensions; // of its expiry
    private boolean ended;
    private List<Runnable> whenEnded = new ArrayList<>();
    private final CompletableFuture<@Nullable Void> commitGivenUp = new CompletableFuture<>();

    /**
     * @param filePrefixes the prefixes of the paths of its workers' files
     * @param stagedTable the table that it creates, if it does
     * @param isRepeatable whether a client may ask for its outcome later
     * @param ttlMillis how many milliseconds it lives after it was begun, or rows were staged
     */
    Transaction(
            String id,
            List<String> filePrefixes,
            Optional<Lsn> readLsn,
            Optional<TableId> stagedTable,
            boolean isRepeatable,
            long limitBytes,
            WriteBudget budget,
            long ttlMillis,
            long nowMillis) {
        this.id = requireNonNull(id, "id is null");
        this.filePrefixes = List.copyOf(filePrefixes);
        this.readLsn = requireNonNull(readLsn, "readLsn is null");
        this.stagedTable = requireNonNull(stagedTable, "stagedTable is null");
        this.isRepeatable = isRepeatable;
        this.budget = requireNonNull(budget, "budget is null");
        // More would be BUSY for ever
        this.limitBytes = Math.min(limitBytes, budget.stagedLimitBytes());
        this.ttlMillis = ttlMillis;
        this.deadlineMillis = nowMillis + ttlMillis;
    }

    String id() {
        return id;
    }

    /** The prefixes of the paths of files that workers write for it. */
    List<String> filePrefixes() {
        return filePrefixes;
    }

    Optional<Lsn> readLsn() {
        return readLsn;
    }

    Optional<TableId> stagedTable() {
        return stagedTable;
    }

    /** Whether a client may ask for its outcome later, also after a restart. */
    boolean isRepeatable() {
        return isRepeatable;
    }

    /** Its outcome; completes after {@link #end} was won and the commit or abort has finished. */
    CompletableFuture<Lsn> outcome() {
        return outcome;
    }

    /**
     * Adds a copy of a batch of a part. Throws TRANSACTION_TOO_LARGE beyond its limit, BUSY beyond
     * the node's limit for all transactions.
     */
    synchronized void stage(
            Optional<UUID> part,
            ShardId shard,
            TableId tableId,
            byte[] batch,
            int offset,
            int length,
            WriteRoom room,
            long nowMillis) {
        checkRoom(length);
        room.handOverStaged(length);
        add(
                shard,
                new Staged(part, tableId, Arrays.copyOfRange(batch, offset, offset + length)),
                nowMillis);
    }

    /**
     * Adds a batch, which does not change any more, with its memory in the node's budget. Throws
     * TRANSACTION_TOO_LARGE beyond its limit: the memory is still the caller's.
     */
    synchronized void stageTaken(ShardId shard, TableId tableId, byte[] batch, long nowMillis) {
        checkRoom(batch.length);
        add(shard, new Staged(Optional.empty(), tableId, batch), nowMillis);
    }

    private void checkRoom(int length) {
        checkOpen();
        if (stagedBytes + length > limitBytes) {
            throw new SteleException(
                    ErrorCode.TRANSACTION_TOO_LARGE,
                    "Expected at most %d bytes staged in transaction %s, found %d"
                            .formatted(limitBytes, id, stagedBytes + length));
        }
    }

    private void checkOpen() {
        if (ended) {
            throw new SteleException(
                    ErrorCode.TRANSACTION_NOT_FOUND,
                    "Expected an open transaction, found " + id + ", which has ended");
        }
    }

    private synchronized void add(ShardId shard, Staged batch, long nowMillis) {
        staged.computeIfAbsent(shard, key -> new ArrayList<>()).add(batch);
        stagedBytes += batch.batch().length;
        renew(nowMillis + ttlMillis);
    }

    /**
     * Adds a step that runs once it has ended, committed or not, on the thread that ends it.
     *
     * @throws SteleException TRANSACTION_NOT_FOUND if it has ended
     */
    synchronized void whenEnded(Runnable step) {
        checkOpen();
        whenEnded.add(step);
    }

    /** Completes when its client gives up a commit that has not come to the log. */
    CompletableFuture<@Nullable Void> commitGivenUp() {
        return commitGivenUp;
    }

    /** Bytes of its rows, also of parts that will not count. */
    synchronized long stagedBytes() {
        return stagedBytes;
    }

    /** Ends it; true for the first caller. Nothing is staged after that. */
    synchronized boolean end() {
        boolean first = !ended;
        ended = true;
        return first;
    }

    /** Whether a caller has won {@link #end}. */
    synchronized boolean hasEnded() {
        return ended;
    }

    /**
     * The batches that count, by shard.
     *
     * @param parts the parts that count, besides batches of no part; empty: all parts
     */
    synchronized Map<ShardId, List<byte[]>> staged(Optional<List<UUID>> parts) {
        Map<ShardId, List<byte[]>> counted = new TreeMap<>();
        staged.forEach(
                (shard, batches) -> {
                    List<byte[]> ofShard =
                            batches.stream()
                                    .filter(batch -> batch.counts(parts))
                                    .map(Staged::batch)
                                    .toList();
                    if (!ofShard.isEmpty()) {
                        counted.put(shard, ofShard);
                    }
                });
        return counted;
    }

    /** The tables that have staged rows. */
    synchronized Set<TableId> tables() {
        return staged.values().stream()
                .flatMap(List::stream)
                .map(Staged::tableId)
                .collect(Collectors.toSet());
    }

    /** Frees the rows, and runs the steps that follow its end. */
    void clear() {
        List<Runnable> steps;
        synchronized (this) {
            staged.clear();
            budget.giveBackStaged(stagedBytes);
            stagedBytes = 0;
            steps = whenEnded;
            whenEnded = new ArrayList<>();
        }
        steps.forEach(Runnable::run);
    }

    private record Staged(Optional<UUID> part, TableId tableId, byte[] batch) {
        private boolean counts(Optional<List<UUID>> parts) {
            return part.isEmpty() || parts.isEmpty() || parts.get().contains(part.get());
        }
    }

    /** Extends its deadline to this time, if that is later. */
    synchronized void renew(long untilMillis) {
        deadlineMillis = Math.max(deadlineMillis, untilMillis);
    }

    /** Keeps it from expiring until {@link #resumeExpiry}; false if it has ended. */
    synchronized boolean suspendExpiry() {
        suspensions += ended ? 0 : 1;
        return !ended;
    }

    synchronized void resumeExpiry(long untilMillis) {
        suspensions--;
        renew(untilMillis);
    }

    /** Whether it is open, and was not renewed in time. */
    synchronized boolean isExpired(long nowMillis) {
        return !ended && suspensions == 0 && deadlineMillis < nowMillis;
    }
}
