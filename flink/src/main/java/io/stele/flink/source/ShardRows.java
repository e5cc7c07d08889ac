package io.stele.flink.source;

import static java.util.Objects.requireNonNull;

import io.stele.client.SteleTable;
import io.stele.client.flight.BatchStream;
import io.stele.client.lease.LeasedSnapshot;
import io.stele.flink.table.BoundTable;
import io.stele.flink.table.ChangeMetadata;
import io.stele.flink.table.RowReader;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanTicket;
import io.stele.protocol.arrow.ArrowBatch;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowRows;
import io.stele.protocol.flight.Ticket;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the rows of a shard at a snapshot, converted to Flink's rows. Immutable; each read
 * opens and closes a Flight stream.
 *
 * @param metadata the metadata columns that follow the declared columns
 * @param predicate rows that cannot match it may be skipped
 * @param limit most rows of a shard
 */
public record ShardRows(
        BoundTable table,
        List<ChangeMetadata> metadata,
        ScanPredicate predicate,
        OptionalLong limit) {
    public ShardRows {
        requireNonNull(table, "table is null");
        metadata = List.copyOf(metadata);
        requireNonNull(predicate, "predicate is null");
        requireNonNull(limit, "limit is null");
    }

    /** A reader of all rows of a table. */
    public static ShardRows all(BoundTable table, List<ChangeMetadata> metadata) {
        return new ShardRows(table, metadata, ScanPredicate.ALL, OptionalLong.empty());
    }

    /**
     * Reads a shard; blocks until its end.
     *
     * @param schema the version of the table to read
     * @throws SteleException SNAPSHOT_EXPIRED: the lease of the snapshot has expired; STALE_TABLE:
     *     the table has another version now; and others. Some rows may have been emitted
     */
    public void read(
            SteleTable opened,
            TableSchema schema,
            int shard,
            LeasedSnapshot snapshot,
            Consumer<RowData> rows) {
        ScanTicket ticket =
                ScanTicket.of(schema.id(), ScanMode.SNAPSHOT, table.columnIds())
                        .at(snapshot.id(), snapshot.lsn())
                        .in(schema.shard(shard))
                        .ofVersion(schema.schemaVersion())
                        .where(predicate)
                        .limit(limit)
                        .build();
        try (BatchStream stream =
                new BatchStream(opened.flight(shard).get(new Ticket(ticket.encode())))) {
            Conversion conversion = new Conversion(schema, stream.fields(), snapshot.lsn());
            for (Optional<ArrowBatch> batch = stream.next();
                    batch.isPresent();
                    batch = stream.next()) {
                for (int row = 0; row < batch.get().rowCount(); row++) {
                    rows.accept(conversion.convert(batch.get(), row));
                }
            }
        }
    }

    /** The conversion from rows of Arrow batches to Flink's rows. */
    private final class Conversion {
        private final Lsn lsn;
        private final RowReader reader;
        private final @Nullable ArrowRows rows;
        private final @Nullable RowEncoder encoder;
        private final @Nullable BinaryRow view;

        Conversion(TableSchema schema, List<ArrowField> fields, Lsn lsn) {
            this.lsn = lsn;
            this.reader = RowReader.ofDeclared(table, schema, metadata);
            List<ColumnSchema> columns = new ArrayList<>();
            table.columnIds().forEach(id -> columns.add(schema.column(id)));
            RowLayout layout = columns.isEmpty() ? null : RowLayout.of(columns);
            this.rows = layout == null ? null : new ArrowRows(fields, layout);
            this.encoder = layout == null ? null : new RowEncoder(layout);
            this.view = layout == null ? null : new BinaryRow(layout);
        }

        RowData convert(ArrowBatch batch, int row) {
            if (rows == null || encoder == null || view == null) {
                return reader.read(RowKind.INSERT, lsn, List.of()); // a count reads no columns
            }
            int length = rows.encode(batch, row, encoder);
            return reader.read(
                    RowKind.INSERT, lsn, Rows.toObjects(view.wrap(encoder.array(), 0, length)));
        }
    }
}
