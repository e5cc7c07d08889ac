package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.predicate.ScanPredicate;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The ticket of a DoGet: rows of one shard of a table at a snapshot, or of a lookup in all shards.
 *
 * @param readPointId keeps the snapshot readable; empty: a short lease of the scan's own
 * @param readLsn the snapshot; the read point's where there is one
 * @param shard where the rows are; empty, for LOOKUP only: wherever the predicate's keys are
 * @param columnIds columns in the order wanted, with {@link HiddenColumns}; empty: row counts only
 * @param predicate rows that cannot match may be left out; advisory
 * @param limit most rows wanted
 * @param schemaVersion the version that columns and predicate are of; empty: that of now
 * @param keys what to look up, for LOOKUP without a shard only; empty: what the predicate lists
 * @param fields which fields of row columns are wanted; empty: all
 * @param changesAfter for CHANGES only: the LSN after which changes are told, in the table's
 *     retained history, which the caller holds by a lease of its own
 * @param aggregation what to make of the rows, for AGGREGATE only, which is of all shards; the
 *     columns are its own
 */
public record ScanTicket(
        Optional<String> readPointId,
        Optional<Lsn> readLsn,
        TableId tableId,
        Optional<ShardId> shard,
        List<Integer> columnIds,
        ScanPredicate predicate,
        ScanMode mode,
        OptionalLong limit,
        OptionalInt schemaVersion,
        Optional<LookupKeys> keys,
        Optional<ColumnFields> fields,
        Optional<Lsn> changesAfter,
        Optional<Aggregation> aggregation) {
    /** A ticket of rows. */
    public ScanTicket(
            Optional<String> readPointId,
            Optional<Lsn> readLsn,
            TableId tableId,
            Optional<ShardId> shard,
            List<Integer> columnIds,
            ScanPredicate predicate,
            ScanMode mode,
            OptionalLong limit,
            OptionalInt schemaVersion,
            Optional<LookupKeys> keys,
            Optional<ColumnFields> fields,
            Optional<Lsn> changesAfter) {
        this(
                readPointId,
                readLsn,
                tableId,
                shard,
                columnIds,
                predicate,
                mode,
                limit,
                schemaVersion,
                keys,
                fields,
                changesAfter,
                Optional.empty());
    }

    /** A ticket without keys of its own, of whole columns. */
    public ScanTicket(
            Optional<String> readPointId,
            Optional<Lsn> readLsn,
            TableId tableId,
            Optional<ShardId> shard,
            List<Integer> columnIds,
            ScanPredicate predicate,
            ScanMode mode,
            OptionalLong limit,
            OptionalInt schemaVersion) {
        this(
                readPointId,
                readLsn,
                tableId,
                shard,
                columnIds,
                predicate,
                mode,
                limit,
                schemaVersion,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** A ticket of one shard for the schema version of now. */
    public ScanTicket(
            Optional<String> readPointId,
            Optional<Lsn> readLsn,
            TableId tableId,
            ShardId shard,
            List<Integer> columnIds,
            ScanPredicate predicate,
            ScanMode mode,
            OptionalLong limit) {
        this(
                readPointId,
                readLsn,
                tableId,
                Optional.of(shard),
                columnIds,
                predicate,
                mode,
                limit,
                OptionalInt.empty());
    }

    public ScanTicket {
        requireNonNull(readPointId, "readPointId is null");
        requireNonNull(readLsn, "readLsn is null");
        requireNonNull(tableId, "tableId is null");
        requireNonNull(shard, "shard is null");
        columnIds = List.copyOf(columnIds);
        requireNonNull(predicate, "predicate is null");
        requireNonNull(mode, "mode is null");
        requireNonNull(limit, "limit is null");
        requireNonNull(schemaVersion, "schemaVersion is null");
        requireNonNull(keys, "keys is null");
        requireNonNull(fields, "fields is null");
        requireNonNull(changesAfter, "changesAfter is null");
        if (changesAfter.isPresent() != (mode == ScanMode.CHANGES)) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected changesAfter in a ticket of mode CHANGES only, found mode "
                            + mode
                            + " and "
                            + changesAfter.map(Lsn::toString).orElse("none"));
        }
        requireNonNull(aggregation, "aggregation is null");
        if (aggregation.isPresent() != (mode == ScanMode.AGGREGATE)) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected an aggregation in a ticket of mode AGGREGATE only, found "
                            + (aggregation.isPresent() ? "one in mode " + mode : "none"));
        }
        if (mode == ScanMode.AGGREGATE && shard.isPresent()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected no shard in a ticket of mode AGGREGATE, found " + shard.get());
        }
        if (shard.isPresent() && keys.isPresent()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT, "Expected keys in a ticket without a shard only");
        }
        if (shard.isEmpty() && mode != ScanMode.LOOKUP && mode != ScanMode.AGGREGATE) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a shard in a ticket of mode " + mode + ", found none");
        }
    }

    /** The bytes of the ticket. */
    public byte[] encode() {
        return ApiJson.write(this);
    }

    public static ScanTicket decode(byte[] ticket) {
        return ApiJson.read(ticket, ScanTicket.class);
    }
}
