package io.stele.flink.sink;

import io.stele.client.flight.FlightClient;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.snapshot.RenewLeasesRequest;
import io.stele.protocol.api.snapshot.SnapshotActions;
import io.stele.protocol.api.write.AbortTransactionRequest;
import io.stele.protocol.api.write.BeginTransactionRequest;
import io.stele.protocol.api.write.CommitTransactionRequest;
import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.api.write.PutTarget;
import io.stele.protocol.api.write.WriteActions;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A client's handle of one transaction at the sidecar, which stages rows and commits or aborts
 * them. Staged rows are invisible, and the sidecar discards them if the transaction expires.
 * Confined to one thread; all methods wait for the sidecar.
 */
final class StagedTransaction {
    /**
     * It is filled and committed at once. After a failure of the committer, it expires in this
     * time.
     */
    private static final Duration TIME_TO_LIVE = Duration.ofMinutes(2);

    private final FlightClient flight;
    private final String id;

    private StagedTransaction(FlightClient flight, String id) {
        this.flight = flight;
        this.id = id;
    }

    static StagedTransaction begin(FlightClient flight, TableId tableId) {
        return begin(flight, tableId, Optional.empty(), TIME_TO_LIVE);
    }

    /**
     * Begins a transaction.
     *
     * @param readLsn the snapshot on which its rows are based: the commit fails with
     *     TRANSACTION_CONFLICT if one of their keys has changed since
     * @param timeToLive time after which it is aborted, unless it is renewed or rows are staged
     */
    static StagedTransaction begin(
            FlightClient flight, TableId tableId, Optional<Lsn> readLsn, Duration timeToLive) {
        return new StagedTransaction(
                flight,
                flight.action(
                                WriteActions.BEGIN_TRANSACTION,
                                new BeginTransactionRequest(
                                        tableId, readLsn, Optional.of(timeToLive.toMillis())))
                        .transactionId());
    }

    /**
     * Stages the rows of a committable.
     *
     * @param encodedWith the table with whose columns the rows were encoded
     * @param tableId the table to write to
     */
    void stage(RowGroup group, TableSchema encodedWith, TableId tableId) {
        List<ColumnSchema> columns = encodedWith.columns(group.columnIds());
        BinaryRow view = new BinaryRow(RowLayout.of(columns));
        try (StagedPut put = rows(group.mode(), columns, tableId)) {
            group.forEach((array, offset, length) -> put.add(view.wrap(array, offset, length)));
            put.finish();
        }
    }

    /** Stages one row of another table. */
    void stage(CommitRecords.RecordRows row, TableId tableId) {
        RowLayout layout = RowLayout.of(row.columns());
        try (StagedPut put = rows(row.mode(), row.columns(), tableId)) {
            put.add(new BinaryRow(layout).wrap(Rows.toBytes(layout, row.values().toArray())));
            put.finish();
        }
    }

    /** Opens a stream of rows of certain columns. The caller finishes or closes it. */
    StagedPut rows(PutMode mode, List<ColumnSchema> columns, TableId tableId) {
        return StagedPut.ofRows(flight, target(mode, tableId, Optional.empty()), columns);
    }

    /** Opens a stream of the ids of rows to delete. The caller finishes or closes it. */
    StagedPut deletedRowIds(TableId tableId, int shard) {
        return StagedPut.ofRowIds(flight, target(PutMode.DELETE, tableId, Optional.of(shard)));
    }

    private PutTarget target(PutMode mode, TableId tableId, Optional<Integer> shard) {
        return new PutTarget(
                Optional.empty(),
                Optional.of(tableId),
                mode,
                Optional.of(id),
                shard,
                Optional.empty(),
                0,
                Optional.empty());
    }

    /** Extends its lifetime. If it has expired, the next rows or the commit fail. */
    void renew(Duration timeToLive) {
        flight.action(
                SnapshotActions.RENEW_LEASES,
                new RenewLeasesRequest(
                        List.of(), timeToLive.toMillis(), List.of(id), timeToLive.toMillis()));
    }

    /** Makes all rows visible atomically. May be repeated until an answer arrives. */
    void commit() {
        flight.action(
                WriteActions.COMMIT_TRANSACTION,
                new CommitTransactionRequest(id, List.of(), Optional.empty()));
    }

    /** Publishes a staged table in place of the table with its name. */
    void publish(TableId staged) {
        flight.action(
                WriteActions.COMMIT_TRANSACTION,
                new CommitTransactionRequest(id, List.of(), Optional.of(staged)));
    }

    /** Discards the rows, so that they do not use the sidecar's memory until they expire. */
    void abort(SteleException cause) {
        try {
            abort();
        } catch (SteleException away) {
            cause.addSuppressed(away); // it expires
        }
    }

    /**
     * Discards the rows.
     *
     * @throws SteleException the request failed; the transaction expires
     */
    void abort() {
        flight.action(WriteActions.ABORT_TRANSACTION, new AbortTransactionRequest(id));
    }

    /** Whether a later attempt may succeed after this error. */
    static boolean mayPass(ErrorCode code) {
        return switch (code) {
            case BUSY,
                    UNAVAILABLE,
                    STALE_TABLE,
                    TRANSACTION_NOT_FOUND,
                    TRANSACTION_ABORTED,
                    TRANSACTION_CONFLICT,
                    STORE_FAILED,
                    OUTCOME_UNKNOWN,
                    INTERNAL ->
                    true;
            default -> false;
        };
    }
}
