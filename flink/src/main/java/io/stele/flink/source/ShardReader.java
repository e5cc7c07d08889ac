package io.stele.flink.source;

import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.flight.FlightStream;
import io.stele.flink.table.RowReader;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanTicket;
import io.stele.protocol.arrow.ArrowBatch;
import io.stele.protocol.arrow.ArrowBatchDecoder;
import io.stele.protocol.arrow.ArrowRows;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.Ticket;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the shards of a scan. Confined to the task's thread.
 *
 * <p>Invariant: a shard is read in one call, so a checkpoint has it wholly or not at all; the order
 * of its rows may differ between two reads, so a part of it could not be continued.
 */
final class ShardReader implements SourceReader<RowData, ShardSplit> {
    private final ScanTarget target;
    private final SourceReaderContext context;
    private final SteleClient client;
    private final ArrayDeque<ShardSplit> splits = new ArrayDeque<>();
    private CompletableFuture<Void> available = new CompletableFuture<>();
    private boolean isLast;
    private @Nullable SteleTable table;

    ShardReader(ScanTarget target, SourceReaderContext context) {
        this.target = target;
        this.context = context;
        this.client = target.table().connection().open("flink-scan");
    }

    @Override
    public void start() {
        if (splits.isEmpty()) {
            context.sendSplitRequest();
        }
    }

    @Override
    public InputStatus pollNext(ReaderOutput<RowData> output) throws IOException {
        ShardSplit split = splits.poll();
        if (split != null) {
            read(split, output);
            if (splits.isEmpty() && !isLast) {
                context.sendSplitRequest();
            }
        }
        if (!splits.isEmpty()) {
            return InputStatus.MORE_AVAILABLE;
        }
        if (isLast) {
            return InputStatus.END_OF_INPUT;
        }
        available = new CompletableFuture<>();
        return InputStatus.NOTHING_AVAILABLE;
    }

    private void read(ShardSplit split, ReaderOutput<RowData> output) throws IOException {
        try {
            SteleTable opened = table;
            if (opened == null) {
                opened = target.table().open(client);
                table = opened;
            }
            read(split, opened, output);
        } catch (SteleException failed) {
            context.metricGroup().getNumRecordsInErrorsCounter().inc();
            throw new IOException(
                    "Cannot read shard %d of table %s of Stele at LSN %s: %s"
                            .formatted(
                                    split.shard(),
                                    target.table(),
                                    split.readLsn(),
                                    failed.getMessage()),
                    failed);
        }
    }

    private void read(ShardSplit split, SteleTable opened, ReaderOutput<RowData> output) {
        TableSchema schema = target.table().schema();
        ScanTicket ticket =
                ScanTicket.of(schema.id(), ScanMode.SNAPSHOT, target.table().columnIds())
                        .at(split.snapshotId(), split.readLsn())
                        .in(schema.shard(split.shard()))
                        .ofVersion(schema.schemaVersion())
                        .where(target.predicate())
                        .limit(target.maxRows())
                        .build();
        try (FlightStream stream = opened.flight(split.shard()).get(new Ticket(ticket.encode()))) {
            Optional<FlightData> head = stream.next();
            if (head.isEmpty()) {
                return;
            }
            ArrowBatchDecoder decoder = ArrowBatchDecoder.forSchema(head.get().dataHeader());
            Conversion rows = new Conversion(schema, decoder);
            for (Optional<FlightData> next = stream.next();
                    next.isPresent();
                    next = stream.next()) {
                ArrowBatch batch = decoder.decode(next.get().dataHeader(), next.get().bodyBuffer());
                for (int row = 0; row < batch.rowCount(); row++) {
                    output.collect(rows.convert(batch, row));
                }
            }
        }
    }

    /** From rows of Arrow batches to those of Flink. */
    private final class Conversion {
        private final boolean isEmpty = target.table().columnIds().isEmpty();
        private final @Nullable ArrowRows rows;
        private final @Nullable RowEncoder encoder;
        private final @Nullable BinaryRow view;
        private final RowReader reader;

        Conversion(TableSchema schema, ArrowBatchDecoder decoder) {
            this.reader = RowReader.ofDeclared(target.table(), schema);
            List<ColumnSchema> columns = new ArrayList<>();
            target.table().columnIds().forEach(id -> columns.add(schema.column(id)));
            RowLayout layout = isEmpty ? null : RowLayout.of(columns);
            this.rows = layout == null ? null : new ArrowRows(decoder.fields(), layout);
            this.encoder = layout == null ? null : new RowEncoder(layout);
            this.view = layout == null ? null : new BinaryRow(layout);
        }

        RowData convert(ArrowBatch batch, int row) {
            if (rows == null || encoder == null || view == null) {
                return new GenericRowData(0); // of a count
            }
            int length = rows.encode(batch, row, encoder);
            return reader.read(Rows.toObjects(view.wrap(encoder.array(), 0, length)));
        }
    }

    @Override
    public List<ShardSplit> snapshotState(long checkpointId) {
        return List.copyOf(splits);
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return available;
    }

    @Override
    public void addSplits(List<ShardSplit> added) {
        splits.addAll(added);
        available.complete(null);
    }

    @Override
    public void notifyNoMoreSplits() {
        isLast = true;
        available.complete(null);
    }

    @Override
    public void close() {
        client.close();
    }
}
