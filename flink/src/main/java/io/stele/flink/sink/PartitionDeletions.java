package io.stele.flink.sink;

import static java.util.Objects.requireNonNull;

import io.stele.client.SteleTable;
import io.stele.client.flight.BatchStream;
import io.stele.client.lease.LeasedSnapshot;
import io.stele.client.lease.SnapshotLease;
import io.stele.protocol.api.scan.HiddenColumns;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanTicket;
import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.arrow.ArrowBatch;
import io.stele.protocol.arrow.ArrowRows;
import io.stele.protocol.flight.Ticket;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A stage in an overwriting transaction: it deletes all rows that certain partitions have at a
 * snapshot. It scans them and sends their keys or row ids. Confined to one thread, which waits for
 * the sidecar.
 */
final class PartitionDeletions {
    private final SteleTable table;
    private final TableSchema schema;
    private final SnapshotLease snapshot;
    private final StagedTransaction transaction;
    private final List<ColumnSchema> columns;
    private final List<Integer> columnIds;
    private final PartitionReader partitionOf;
    private final RowLayout layout;

    PartitionDeletions(SteleTable table, SnapshotLease snapshot, StagedTransaction transaction) {
        this.table = requireNonNull(table, "table is null");
        this.schema = table.schema();
        this.snapshot = requireNonNull(snapshot, "snapshot is null");
        this.transaction = requireNonNull(transaction, "transaction is null");
        // A primary key contains the partition columns
        this.columns =
                schema.hasPrimaryKey()
                        ? schema.primaryKeyColumns()
                        : schema.columns(schema.partitionedBy());
        this.layout = RowLayout.of(columns);
        this.partitionOf = new PartitionReader(schema, layout);
        this.columnIds = new ArrayList<>();
        columns.forEach(column -> columnIds.add(column.id()));
        if (!schema.hasPrimaryKey()) {
            columnIds.add(HiddenColumns.ROW_ID);
        }
    }

    /** Stages the deletion of all rows of a partition; blocks. */
    void stage(Partition partition) {
        snapshot.renewInTime();
        for (int shard = 0; shard < schema.shardCount(); shard++) {
            try (BatchStream rows = read(partition, shard);
                    StagedPut put =
                            schema.hasPrimaryKey()
                                    ? transaction.rows(PutMode.DELETE, columns, schema.id())
                                    : transaction.deletedRowIds(schema.id(), shard)) {
                stage(partition, rows, put);
                put.finish();
            }
        }
    }

    private BatchStream read(Partition partition, int shard) {
        LeasedSnapshot read = snapshot.snapshot();
        ScanTicket ticket =
                ScanTicket.of(schema.id(), ScanMode.SNAPSHOT, columnIds)
                        .at(read.id(), read.lsn())
                        .in(schema.shard(shard))
                        .ofVersion(schema.schemaVersion())
                        .where(partition.predicate(schema.partitionedBy()))
                        .build();
        return new BatchStream(table.flight(shard).get(new Ticket(ticket.encode())));
    }

    /** Stages the rows of a scan that belong to the partition; the scan may return others, too. */
    private void stage(Partition partition, BatchStream rows, StagedPut put) {
        ArrowRows converted = new ArrowRows(rows.fields(), layout);
        RowEncoder encoder = new RowEncoder(layout);
        BinaryRow view = new BinaryRow(layout);
        int rowIdColumn = schema.hasPrimaryKey() ? -1 : rows.indexOf(HiddenColumns.ROW_ID);
        for (Optional<ArrowBatch> next = rows.next(); next.isPresent(); next = rows.next()) {
            ArrowBatch batch = next.get();
            for (int row = 0; row < batch.rowCount(); row++) {
                int length = converted.encode(batch, row, encoder);
                view.wrap(encoder.array(), 0, length);
                if (!partitionOf.partition(view).equals(partition)) {
                    continue;
                }
                if (rowIdColumn < 0) {
                    put.add(view);
                } else {
                    put.addRowId(batch.column(rowIdColumn).longAt(row));
                }
            }
        }
    }
}
