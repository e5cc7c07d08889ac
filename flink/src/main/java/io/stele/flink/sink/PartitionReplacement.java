package io.stele.flink.sink;

import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.flight.FlightClient;
import io.stele.client.lease.SnapshotLease;
import io.stele.client.lease.SnapshotLeases;
import io.stele.client.lease.SnapshotService;
import io.stele.flink.table.RowValues;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.TableSchema;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/**
 * A replacement of the rows of partitions, as one transaction: it deletes the rows of a snapshot,
 * and inserts others. Owns the transaction and the lease on the snapshot. The first row of a
 * partition starts the search for the rows to delete: by key, or by row id in a table without a
 * primary key.
 *
 * <p>Invariant: the deletions of a partition are staged before its first row, because the last
 * change of a key wins.
 */
final class PartitionReplacement implements Replacement {
    /** 5 min: a pause of a task must not end the load, as in Trino's writes. */
    private static final Duration TIME_TO_LIVE = Duration.ofMinutes(5);

    private final TableSchema schema;
    private final RowValues values;
    private final PartitionReader partitionOf;
    private final RowEncoder encoder;
    private final BinaryRow view;
    private final SnapshotLease snapshot;
    private final StagedTransaction transaction;
    private final PartitionDeletions deletions;
    private final Set<Partition> replaced = new HashSet<>();
    private @Nullable StagedPut rows;

    private PartitionReplacement(
            SinkTarget target,
            TableSchema schema,
            SnapshotLease snapshot,
            StagedTransaction transaction,
            PartitionDeletions deletions) {
        this.schema = schema;
        this.values = RowValues.whole(target.table(), schema, target.fields());
        RowLayout layout = RowLayout.of(schema.columns());
        this.partitionOf = new PartitionReader(schema, layout);
        this.encoder = new RowEncoder(layout);
        this.view = new BinaryRow(layout);
        this.snapshot = snapshot;
        this.transaction = transaction;
        this.deletions = deletions;
    }

    /**
     * Begins a replacement at the present snapshot.
     *
     * @param named a partition that is replaced even if it gets no rows
     */
    static PartitionReplacement begin(
            SinkTarget target, SteleClient client, Optional<Partition> named) {
        SteleTable table = target.table().open(client);
        TableSchema schema = table.schema();
        FlightClient flight = table.flight(0);
        SnapshotLease snapshot =
                new SnapshotLeases(
                                SnapshotService.overFlight(() -> flight), schema.id(), TIME_TO_LIVE)
                        .hold(Optional.empty(), System::nanoTime);
        StagedTransaction transaction = null;
        boolean isBegun = false;
        try {
            transaction =
                    StagedTransaction.begin(
                            flight, schema.id(), Optional.of(snapshot.lsn()), TIME_TO_LIVE);
            PartitionReplacement begun =
                    new PartitionReplacement(
                            target,
                            schema,
                            snapshot,
                            transaction,
                            new PartitionDeletions(table, snapshot, transaction));
            named.ifPresent(begun::replace);
            isBegun = true;
            return begun;
        } finally {
            if (!isBegun) {
                end(transaction, snapshot);
            }
        }
    }

    private static void end(@Nullable StagedTransaction transaction, SnapshotLease snapshot) {
        try {
            if (transaction != null) {
                transaction.abort();
            }
        } catch (SteleException away) {
            // The transaction expires
        } finally {
            snapshot.close();
        }
    }

    private void replace(Partition partition) {
        if (replaced.add(partition)) {
            deletions.stage(partition);
        }
    }

    @Override
    public void add(RowData row) {
        int length = Rows.encode(encoder, Arrays.asList(values.of(row)));
        view.wrap(encoder.array(), 0, length);
        replace(partitionOf.partition(view));
        StagedPut put = rows;
        if (put == null) {
            PutMode mode = schema.hasPrimaryKey() ? PutMode.UPSERT : PutMode.APPEND;
            put = transaction.rows(mode, schema.columns(), schema.id());
            rows = put;
        }
        put.add(view);
    }

    @Override
    public void renew() {
        try {
            snapshot.renewInTime();
            transaction.renew(TIME_TO_LIVE);
        } catch (SteleException failed) {
            if (!failed.code().retryable()) {
                throw failed;
            }
            // The next renewal comes before they expire
        }
    }

    @Override
    public void publish() {
        StagedPut put = rows;
        if (put != null) {
            put.finish();
        }
        if (replaced.isEmpty()) {
            discard();
            return;
        }
        try {
            transaction.commit();
        } catch (SteleException failed) {
            if (failed.code() == ErrorCode.TRANSACTION_CONFLICT) {
                throw new SteleException(
                        failed.code(),
                        "rows of the partitions were changed meanwhile, so nothing was replaced: "
                                + failed.getMessage(),
                        failed);
            }
            throw failed;
        }
        snapshot.close();
    }

    @Override
    public void discard() {
        StagedPut put = rows;
        if (put != null) {
            put.close();
        }
        end(transaction, snapshot);
    }
}
