package io.stele.client;

import io.stele.client.flight.FlightStream;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.scan.ChangeKind;
import io.stele.protocol.api.scan.HiddenColumns;
import io.stele.protocol.arrow.ArrowBatch;
import io.stele.protocol.arrow.ArrowBatchDecoder;
import io.stele.protocol.arrow.ArrowColumn;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowRows;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.ColumnSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A decoder of the record batches of one change scan, from a Flight stream, to single changes for a
 * change feed. Confined to one thread.
 */
final class ChangeStream implements AutoCloseable {
    private final FlightStream stream;
    private final RowLayout layout;
    private final Change change;
    private @Nullable Decoding decoding; // after the schema was received
    private @Nullable ArrowBatch batch;
    private int next; // index in the batch

    ChangeStream(FlightStream stream, RowLayout layout) {
        this.stream = stream;
        this.layout = layout;
        this.change = new Change(new BinaryRow(layout));
    }

    /** The decoders and column positions that follow from the stream's schema. */
    private static final class Decoding {
        private final ArrowBatchDecoder decoder;
        private final ArrowRows rows;
        private final RowEncoder encoder;
        private final int lsnColumn;
        private final int kindColumn;

        Decoding(FlightData schema, RowLayout layout) {
            this.decoder = ArrowBatchDecoder.forSchema(schema.dataHeader());
            this.rows = new ArrowRows(decoder.fields(), layout);
            this.encoder = new RowEncoder(layout);
            this.lsnColumn = column(decoder.fields(), HiddenColumns.LSN);
            this.kindColumn = column(decoder.fields(), HiddenColumns.ROW_ID);
        }
    }

    /** The ids of the columns to request. */
    static List<Integer> columnIds(List<ColumnSchema> columns) {
        List<Integer> ids = new ArrayList<>();
        columns.forEach(column -> ids.add(column.id()));
        ids.add(HiddenColumns.LSN);
        ids.add(HiddenColumns.ROW_ID);
        return ids;
    }

    private static int column(List<ArrowField> fields, int id) {
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).id() == id) {
                return i;
            }
        }
        throw new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected a column of id " + id + " in a stream of changes, found none");
    }

    /**
     * Waits for the first changes, or the end.
     *
     * @throws SteleException the failure of the stream
     */
    boolean isReady(long nanos) throws InterruptedException {
        long deadline = System.nanoTime() + nanos;
        while (true) {
            try {
                long left = Math.max(0, deadline - System.nanoTime());
                stream.whenReady().get(left, TimeUnit.NANOSECONDS);
            } catch (TimeoutException notYet) {
                return false;
            } catch (ExecutionException e) {
                throw new IllegalStateException("The ready future never fails", e);
            }
            if (decoding != null) {
                return true;
            }
            decoding = new Decoding(stream.poll().orElseThrow(ChangeStream::noSchema), layout);
        }
    }

    private static SteleException noSchema() {
        return new SteleException(
                ErrorCode.CORRUPT_DATA, "Expected a schema in a stream of changes, found its end");
    }

    /**
     * Waits for the next change and moves to it; false at the end. Called after {@link #isReady}.
     */
    boolean advance() {
        Decoding known = decoding;
        if (known == null) {
            throw new IllegalStateException("Expected a stream that is ready");
        }
        ArrowBatch present = batch;
        while (present == null || next == present.rowCount()) {
            Optional<FlightData> message = stream.next();
            if (message.isEmpty()) {
                return false;
            }
            present = known.decoder.decode(message.get().dataHeader(), message.get().bodyBuffer());
            batch = present;
            next = 0;
        }
        List<ArrowColumn> columns = present.columns();
        ChangeKind kind = kind(columns.get(known.kindColumn).longAt(next));
        Lsn lsn = new Lsn(columns.get(known.lsnColumn).longAt(next));
        if (lsn.compareTo(change.lsn()) < 0) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected changes in the order of their LSNs, found LSN %s after %s: the sidecar may be older than this client"
                            .formatted(lsn, change.lsn()));
        }
        int length = known.rows.encode(present, next, known.encoder);
        change.row().wrap(known.encoder.array(), 0, length);
        change.set(kind, lsn);
        next++;
        return true;
    }

    private static ChangeKind kind(long code) {
        try {
            return ChangeKind.of(code);
        } catch (IllegalArgumentException unknown) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA, String.valueOf(unknown.getMessage()), unknown);
        }
    }

    /** Whether the change is the first one of a batch. */
    boolean isAtBatch() {
        return next == 1;
    }

    /** The present change, always in the same object. */
    Change change() {
        return change;
    }

    @Override
    public void close() {
        stream.close();
    }
}
