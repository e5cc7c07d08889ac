package io.stele.protocol.api.scan;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.predicate.ScanPredicate;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The ticket of a Flight DoGet: a scan of one shard of a table at a snapshot, or a lookup or an
 * aggregation in all its shards.
 *
 * @param snapshotId the lease that keeps the snapshot readable; empty: the scan has a short lease
 *     of its own
 * @param readLsn the snapshot LSN, equal to the leased snapshot's if there is one
 * @param shard the shard of the rows; empty for AGGREGATE, which reads all shards; may be empty for
 *     LOOKUP, which then reads the shards of the keys
 * @param columnIds columns in the wanted order, may include {@link HiddenColumns}; empty: row
 *     counts only
 * @param predicate rows that cannot match may be omitted; advisory
 * @param limit the most rows
 * @param schemaVersion the version that columns and predicate refer to; empty: the present version
 * @param keys the keys to look up, for LOOKUP without a shard only; empty: the keys that the
 *     predicate lists
 * @param fields the wanted fields of row columns; empty: all
 * @param changesAfter for CHANGES only: the LSN after which changes are returned, in the table's
 *     retained history, on which the caller holds a lease of its own; exclusive
 * @param changesUpTo for CHANGES only: the LSN up to which changes are returned, inclusive; empty:
 *     the snapshot's LSN
 * @param beforeImages for CHANGES only: whether the row before an update is also returned, as
 *     {@link ChangeKind#UPDATE_BEFORE}; empty: no
 * @param aggregation for AGGREGATE only: the aggregation of the rows of all shards, which
 *     determines the columns
 */
public record ScanTicket(
        Optional<String> snapshotId,
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
        Optional<Lsn> changesUpTo,
        Optional<Boolean> beforeImages,
        Optional<Aggregation> aggregation) {
    /** A builder of a ticket, which by default reads all rows of a table as they are now. */
    public static Builder of(TableId table, ScanMode mode, List<Integer> columnIds) {
        return new Builder(table, mode, columnIds);
    }

    public ScanTicket {
        requireNonNull(snapshotId, "snapshotId is null");
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
        requireNonNull(changesUpTo, "changesUpTo is null");
        if (changesUpTo.isPresent() && changesAfter.isEmpty()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected changesUpTo with changesAfter only, found " + changesUpTo.get());
        }
        requireNonNull(beforeImages, "beforeImages is null");
        if (beforeImages.isPresent() && changesAfter.isEmpty()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected beforeImages with changesAfter only, found " + beforeImages.get());
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

    /** The encoded ticket. */
    public byte[] encode() {
        return ApiJson.write(this);
    }

    public static ScanTicket decode(byte[] ticket) {
        return ApiJson.read(ticket, ScanTicket.class);
    }

    /** A builder of tickets that differ from a scan of all present rows. Confined to one thread. */
    public static final class Builder {
        private final TableId table;
        private final ScanMode mode;
        private final List<Integer> columnIds;
        private Optional<String> snapshotId = Optional.empty();
        private Optional<Lsn> readLsn = Optional.empty();
        private Optional<ShardId> shard = Optional.empty();
        private ScanPredicate predicate = ScanPredicate.ALL;
        private OptionalLong limit = OptionalLong.empty();
        private OptionalInt schemaVersion = OptionalInt.empty();
        private Optional<LookupKeys> keys = Optional.empty();
        private Optional<ColumnFields> fields = Optional.empty();
        private Optional<Lsn> changesAfter = Optional.empty();
        private Optional<Lsn> changesUpTo = Optional.empty();
        private Optional<Boolean> beforeImages = Optional.empty();
        private Optional<Aggregation> aggregation = Optional.empty();

        private Builder(TableId table, ScanMode mode, List<Integer> columnIds) {
            this.table = table;
            this.mode = mode;
            this.columnIds = columnIds;
        }

        /** Reads at a leased snapshot. */
        public Builder at(String newSnapshotId, Lsn newReadLsn) {
            snapshotId = Optional.of(newSnapshotId);
            readLsn = Optional.of(newReadLsn);
            return this;
        }

        /** Sets the version of the table that columns and predicate refer to. */
        public Builder ofVersion(int newSchemaVersion) {
            schemaVersion = OptionalInt.of(newSchemaVersion);
            return this;
        }

        /** Limits the rows to one shard; empty: all shards. */
        public Builder in(Optional<ShardId> newShard) {
            shard = newShard;
            return this;
        }

        /** Limits the rows to one shard. */
        public Builder in(ShardId newShard) {
            return in(Optional.of(newShard));
        }

        /** Sets the predicate: rows that cannot match may be omitted. */
        public Builder where(ScanPredicate newPredicate) {
            predicate = newPredicate;
            return this;
        }

        /** Sets the greatest number of rows; empty: all. */
        public Builder limit(OptionalLong newLimit) {
            limit = newLimit;
            return this;
        }

        /** Sets the keys to look up; empty: the keys that the predicate lists. */
        public Builder keys(Optional<LookupKeys> newKeys) {
            keys = newKeys;
            return this;
        }

        /** Sets the wanted fields of row columns; empty: all. */
        public Builder fields(Optional<ColumnFields> newFields) {
            fields = newFields;
            return this;
        }

        /** Sets the LSN after which changes are returned, exclusive. */
        public Builder changesAfter(Optional<Lsn> after) {
            changesAfter = after;
            return this;
        }

        /**
         * Sets the LSN up to which changes are returned, inclusive; the default is the snapshot's
         * LSN.
         */
        public Builder changesUpTo(Lsn upTo) {
            changesUpTo = Optional.of(upTo);
            return this;
        }

        /** Sets whether the row before an update is also returned. */
        public Builder beforeImages(boolean wanted) {
            beforeImages = wanted ? Optional.of(true) : Optional.empty();
            return this;
        }

        /** Sets the aggregation of the rows. */
        public Builder aggregate(Optional<Aggregation> newAggregation) {
            aggregation = newAggregation;
            return this;
        }

        /**
         * Builds the ticket.
         *
         * @throws SteleException INVALID_ARGUMENT if the values do not fit the mode
         */
        public ScanTicket build() {
            return new ScanTicket(
                    snapshotId,
                    readLsn,
                    table,
                    shard,
                    columnIds,
                    predicate,
                    mode,
                    limit,
                    schemaVersion,
                    keys,
                    fields,
                    changesAfter,
                    changesUpTo,
                    beforeImages,
                    aggregation);
        }
    }
}
