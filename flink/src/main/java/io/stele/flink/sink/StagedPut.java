package io.stele.flink.sink;

import static java.util.Objects.requireNonNull;

import io.stele.client.flight.FlightClient;
import io.stele.client.flight.FlightPut;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.write.PutTarget;
import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowMessage;
import io.stele.protocol.arrow.ArrowSchemas;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.FlightDescriptor;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.ColumnSchema;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A DoPut stream of batches into a transaction, over Flight. The sidecar stages them. Owns the
 * stream until {@link #close}; adding rows may wait for the sidecar. Confined to one thread.
 */
final class StagedPut implements AutoCloseable {
    // As in the client's bulk writer: larger batches are not faster.
    private static final int MAX_BATCH_ROWS = 16 << 10;
    private static final long MAX_BATCH_BYTES = 4 << 20;

    private final FlightPut stream;
    private final ArrowBatchEncoder encoder;

    private StagedPut(
            FlightClient flight,
            PutTarget target,
            List<ArrowField> fields,
            ArrowBatchEncoder encoder) {
        this.encoder = requireNonNull(encoder, "encoder is null");
        this.stream = flight.put();
        stream.sendSchema(
                FlightDescriptor.command(ApiJson.write(target)),
                FlightData.schema(ByteBuffer.wrap(ArrowSchemas.toMessage(fields))));
    }

    /** Opens a stream of rows of these columns. */
    static StagedPut ofRows(FlightClient flight, PutTarget target, List<ColumnSchema> columns) {
        List<ArrowField> fields = ArrowSchemas.fields(columns);
        return new StagedPut(
                flight, target, fields, ArrowBatchEncoder.forRows(fields, RowLayout.of(columns)));
    }

    /** Opens a stream of row ids of one shard, for a table without a primary key. */
    static StagedPut ofRowIds(FlightClient flight, PutTarget target) {
        List<ArrowField> fields = List.of(ArrowField.ROW_ID);
        return new StagedPut(flight, target, fields, new ArrowBatchEncoder(fields));
    }

    void add(BinaryRow row) {
        encoder.append(row);
        sendIfFull();
    }

    void addRowId(long rowId) {
        encoder.column(0).appendLong(rowId);
        sendIfFull();
    }

    private void sendIfFull() {
        if (encoder.rowCount() >= MAX_BATCH_ROWS || encoder.sizeBytes() >= MAX_BATCH_BYTES) {
            send();
        }
    }

    private void send() {
        ArrowMessage message = encoder.finish();
        stream.sendBatch(FlightData.of(message.header(), message.body()));
    }

    /** Sends the rest, and waits until the sidecar has staged everything. */
    void finish() {
        if (encoder.rowCount() > 0) {
            send();
        }
        stream.finish();
    }

    @Override
    public void close() {
        stream.close();
    }
}
