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
    private boolean ended;

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
        if (ended) {
            throw new SteleException(
                    ErrorCode.TRANSACTION_NOT_FOUND,
                    "Expected an open transaction, found " + id + ", which has ended");
        }
        if (stagedBytes + length > limitBytes) {
            throw new SteleException(
                    ErrorCode.TRANSACTION_TOO_LARGE,
                    "Expected at most %d bytes staged in transaction %s, found %d"
                            .formatted(limitBytes, id, stagedBytes + length));
        }
        room.handOverStaged(length);
        staged.computeIfAbsent(shard, key -> new ArrayList<>())
                .add(new Staged(part, tableId, Arrays.copyOfRange(batch, offset, offset + length)));
        stagedBytes += length;
        renew(nowMillis + ttlMillis);
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

    /** Frees the rows. */
    synchronized void clear() {
        staged.clear();
        budget.giveBackStaged(stagedBytes);
        stagedBytes = 0;
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

    /** Whether it is open, and was not renewed in time. */
    synchronized boolean isExpired(long nowMillis) {
        return !ended && deadlineMillis < nowMillis;
    }
}
