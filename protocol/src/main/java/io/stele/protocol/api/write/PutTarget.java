package io.stele.protocol.api.write;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import io.stele.protocol.api.catalog.TableName;
import java.util.Optional;
import java.util.UUID;

/**
 * The command of a DoPut's descriptor: where its batches go. One of {@code table} and {@code
 * tableId} is given; with both, the id must be the table's present one (STALE_TABLE).
 *
 * @param mode what to do with the rows
 * @param transactionId rows are staged in this transaction; empty: each batch becomes durable and
 *     visible by itself
 * @param shard the shard of all rows, which row ids of tables without a primary key need; empty:
 *     the rows are routed
 * @param writerId with {@code firstSequence} makes the stream safe to send again: batch number n
 *     (from 0) has the sequence {@code firstSequence + n}, and one that was applied is answered
 *     without being applied again
 * @param part of the transaction that the rows are of, such as one attempt of a writer: a commit
 *     may name those that count
 */
public record PutTarget(
        Optional<TableName> table,
        Optional<TableId> tableId,
        PutMode mode,
        Optional<String> transactionId,
        Optional<Integer> shard,
        Optional<UUID> writerId,
        long firstSequence,
        Optional<UUID> part) {
    public PutTarget {
        part = part == null ? Optional.empty() : part; // absent in old clients
        requireNonNull(table, "table is null");
        requireNonNull(tableId, "tableId is null");
        requireNonNull(mode, "mode is null");
        requireNonNull(transactionId, "transactionId is null");
        requireNonNull(shard, "shard is null");
        requireNonNull(writerId, "writerId is null");
        if (table.isEmpty() && tableId.isEmpty()) {
            throw new IllegalArgumentException(
                    "Expected a table or a table id in a put target, found neither");
        }
        if (firstSequence < 0) {
            throw new IllegalArgumentException(
                    "Expected firstSequence >= 0, found " + firstSequence);
        }
    }

    /** Rows that become visible batch by batch. */
    public static PutTarget of(TableName table, PutMode mode) {
        return new PutTarget(
                Optional.of(table),
                Optional.empty(),
                mode,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                0,
                Optional.empty());
    }

    /** Rows that become visible with a transaction, if it counts the part. */
    public static PutTarget staged(
            TableId tableId,
            PutMode mode,
            String transactionId,
            Optional<Integer> shard,
            UUID part) {
        return new PutTarget(
                Optional.empty(),
                Optional.of(tableId),
                mode,
                Optional.of(transactionId),
                shard,
                Optional.empty(),
                0,
                Optional.of(part));
    }
}
