package io.stele.protocol.api.write;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import io.stele.protocol.api.catalog.TableName;
import java.util.Optional;
import java.util.UUID;

/**
 * The target of a Flight DoPut, in its descriptor: table, write mode and, optionally, transaction,
 * shard and writer. One of {@code table} and {@code tableId} is given; with both, the id must be
 * the table's present one (STALE_TABLE).
 *
 * @param mode the effect of the rows
 * @param transactionId rows are staged in this transaction; empty: each batch becomes durable and
 *     visible by itself
 * @param shard the shard of all rows, which row ids of tables without a primary key need; empty:
 *     the rows are routed
 * @param writerId with {@code firstSequence} makes the stream safe to send again: batch number n
 *     (from 0) has the sequence {@code firstSequence + n}, and a repeated batch is not applied
 *     again
 * @param part of the transaction to which the rows belong, such as one attempt of a writer; a
 *     commit may select parts
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

    /** A target of rows that become visible batch by batch. */
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

    /**
     * A target of rows that become visible with the commit of a transaction, if it selects the
     * part.
     */
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
