package io.stele.flink.sink;

import io.stele.client.flight.FlightClient;
import io.stele.client.flight.FlightPut;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.write.AbortTransactionRequest;
import io.stele.protocol.api.write.BeginTransactionRequest;
import io.stele.protocol.api.write.CommitTransactionRequest;
import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.api.write.PutTarget;
import io.stele.protocol.api.write.WriteActions;
import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowMessage;
import io.stele.protocol.arrow.ArrowSchemas;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.FlightDescriptor;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A transaction of the sidecar that is being filled by a committer. Staged rows are visible to
 * nobody, and are discarded if it is not committed. Confined to one thread.
 */
final class StagedTransaction {
    // As the client's bulk writer: where the cost of a message no longer shows.
    private static final int MAX_BATCH_ROWS = 16 << 10;
    private static final long MAX_BATCH_BYTES = 4 << 20;

    /** It is filled and committed at once; a committer that dies leaves it no longer than this. */
    private static final Duration TIME_TO_LIVE = Duration.ofMinutes(2);

    private final FlightClient flight;
    private final String id;

    private StagedTransaction(FlightClient flight, String id) {
        this.flight = flight;
        this.id = id;
    }

    static StagedTransaction begin(FlightClient flight, TableId tableId) {
        return new StagedTransaction(
                flight,
                flight.action(
                                WriteActions.BEGIN_TRANSACTION,
                                new BeginTransactionRequest(
                                        tableId,
                                        Optional.empty(),
                                        Optional.of(TIME_TO_LIVE.toMillis())))
                        .transactionId());
    }

    /**
     * Stages rows of a committable.
     *
     * @param encodedWith the table whose columns the rows have
     * @param tableId the table to which they go
     */
    void stage(RowGroup group, TableSchema encodedWith, TableId tableId) {
        List<ColumnSchema> columns = encodedWith.columns(group.columnIds());
        try (Put put = new Put(group.mode(), columns, tableId)) {
            group.forEach(put::add);
            put.finish();
        }
    }

    /** Stages one row of another table. */
    void stage(CommitRecords.RecordRows row, TableId tableId) {
        byte[] encoded = Rows.toBytes(RowLayout.of(row.columns()), row.values().toArray());
        try (Put put = new Put(row.mode(), row.columns(), tableId)) {
            put.add(encoded, 0, encoded.length);
            put.finish();
        }
    }

    /** Makes all rows visible at once; may be repeated until it is answered. */
    void commit() {
        flight.action(
                WriteActions.COMMIT_TRANSACTION,
                new CommitTransactionRequest(id, List.of(), Optional.empty()));
    }

    /** Makes a staged table public, in the place of one of its name. */
    void publish(TableId staged) {
        flight.action(
                WriteActions.COMMIT_TRANSACTION,
                new CommitTransactionRequest(id, List.of(), Optional.of(staged)));
    }

    /** Discards the rows, so that they do not take the sidecar's memory until they expire. */
    void abort(SteleException cause) {
        try {
            flight.action(WriteActions.ABORT_TRANSACTION, new AbortTransactionRequest(id));
        } catch (SteleException away) {
            cause.addSuppressed(away); // it expires
        }
    }

    /** One stream of staged batches. */
    private final class Put implements AutoCloseable {
        private final FlightPut stream;
        private final ArrowBatchEncoder encoder;
        private final BinaryRow view;

        Put(PutMode mode, List<ColumnSchema> columns, TableId tableId) {
            List<ArrowField> fields = ArrowSchemas.fields(columns);
            RowLayout layout = RowLayout.of(columns);
            this.encoder = ArrowBatchEncoder.forRows(fields, layout);
            this.view = new BinaryRow(layout);
            this.stream = flight.put();
            PutTarget target =
                    new PutTarget(
                            Optional.empty(),
                            Optional.of(tableId),
                            mode,
                            Optional.of(id),
                            Optional.empty(),
                            Optional.empty(),
                            0,
                            Optional.empty());
            stream.sendSchema(
                    FlightDescriptor.command(ApiJson.write(target)),
                    FlightData.schema(ByteBuffer.wrap(ArrowSchemas.toMessage(fields))));
        }

        void add(byte[] array, int offset, int length) {
            encoder.append(view.wrap(array, offset, length));
            if (encoder.rowCount() >= MAX_BATCH_ROWS || encoder.sizeBytes() >= MAX_BATCH_BYTES) {
                send();
            }
        }

        private void send() {
            ArrowMessage message = encoder.finish();
            stream.sendBatch(FlightData.of(message.header(), message.body()));
        }

        /** Waits until everything is staged. */
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

    /** Whether a later attempt may succeed after such a failure. */
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
