package io.stele.flink.sink;

import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.flink.table.RowValues;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.List;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.metrics.groups.SinkWriterMetricGroup;
import org.apache.flink.table.data.RowData;

/**
 * A writer of an {@link AtLeastOnceSink}, which passes each row to the client's batches. A
 * checkpoint waits until all rows are durable. Owns its client, which limits the bytes in flight,
 * retries batches refused as BUSY, and applies no batch twice while this writer lives. Confined to
 * the task's thread, which waits when too many bytes are in flight.
 */
final class AtLeastOnceWriter implements SinkWriter<RowData> {
    private final SinkTarget target;
    private final SinkWriterMetricGroup metrics;
    private final SteleClient client;
    private final TableWriter writer;
    private Binding binding;
    private volatile long lastFlushMillis;

    AtLeastOnceWriter(SinkTarget target, SinkWriterMetricGroup metrics) {
        this.target = target;
        this.metrics = metrics;
        this.client =
                target.table()
                        .connection()
                        .open("flink-sink", settings -> target.options().apply(settings));
        try {
            this.writer = target.table().open(client).writer();
            this.binding = new Binding(target, writer.schema());
        } catch (RuntimeException | Error failed) {
            client.close();
            throw failed;
        }
        metrics.setCurrentSendTimeGauge(() -> lastFlushMillis);
        metrics.gauge("inFlightBytes", client::inFlightBytes);
    }

    /** The row conversions for one version of the table. */
    private static final class Binding {
        private final TableSchema schema;
        private final boolean keyed;
        private final RowValues values;
        private final List<String> columns;
        private final RowValues key;

        Binding(SinkTarget target, TableSchema schema) {
            this.schema = schema;
            this.keyed = schema.hasPrimaryKey();
            this.values =
                    target.whole()
                            ? RowValues.whole(target.table(), schema, target.fields())
                            : RowValues.of(target.table(), schema, target.fields());
            this.columns = values.columns().stream().map(ColumnSchema::name).toList();
            this.key = RowValues.key(target.table(), schema);
        }
    }

    @Override
    public void write(RowData row, Context context) throws IOException {
        try {
            TableSchema present = writer.schema();
            if (present != binding.schema) { // columns were added
                binding = new Binding(target, present);
            }
            send(row);
        } catch (SteleException failed) {
            throw failed(failed);
        }
    }

    private IOException failed(SteleException failed) {
        metrics.getNumRecordsSendErrorsCounter().inc();
        return new IOException(
                "Cannot write to table %s of Stele: %s"
                        .formatted(target.table(), failed.getMessage()),
                failed);
    }

    private void send(RowData row) throws IOException {
        switch (row.getRowKind()) {
            case INSERT -> put(row);
            case UPDATE_AFTER -> {
                checkKeyed(row);
                put(row);
            }
            case UPDATE_BEFORE -> checkKeyed(row); // the next row replaces it
            case DELETE -> {
                checkKeyed(row);
                writer.delete(binding.key.of(row));
                metrics.getNumRecordsSendCounter().inc();
            }
        }
    }

    private void put(RowData row) {
        if (target.whole()) {
            writer.write(binding.values.of(row));
        } else if (target.inserts()) {
            writer.updateOrInsert(binding.columns, binding.values.of(row));
        } else {
            writer.update(binding.columns, binding.values.of(row));
        }
        metrics.getNumRecordsSendCounter().inc();
    }

    private void checkKeyed(RowData row) throws IOException {
        if (!binding.keyed) {
            throw Changes.refused(target, row);
        }
    }

    @Override
    public void flush(boolean endOfInput) throws IOException {
        long start = System.nanoTime();
        try {
            writer.flush();
        } catch (SteleException failed) {
            throw failed(failed);
        }
        lastFlushMillis = (System.nanoTime() - start) / 1_000_000;
    }

    /**
     * Discards rows that were not flushed: Flink sends them again, or they were never acknowledged.
     */
    @Override
    public void close() {
        client.close();
    }
}
