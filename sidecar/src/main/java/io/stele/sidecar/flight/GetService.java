package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ScanTicket;
import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowMessage;
import io.stele.protocol.arrow.ArrowSchemas;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.Ticket;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.metrics.ReadMetrics;
import io.stele.storage.engine.ReadPoint;
import io.stele.storage.engine.StorageEngine;
import io.stele.storage.scan.RowCursor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;

/**
 * DoGet: the rows of one shard at a snapshot, batch by batch at the pace of the client. Thread
 * safe.
 */
final class GetService {
    // 65,536: what a Trino page or a pandas chunk takes; narrow rows reach it before the size.
    private static final int MAX_BATCH_ROWS = 1 << 16;
    // The scan gives its lease back when it ends; this is for a process that dies in between.
    private static final Duration OWN_LEASE = Duration.ofHours(1);

    private final EngineService engine;
    private final ReadMetrics metrics;
    private final ThreadFactory threads;
    private final long batchBytes;
    private final long stallTimeoutNanos;

    GetService(
            FlightConfig config, EngineService engine, ReadMetrics metrics, ThreadFactory threads) {
        this.engine = requireNonNull(engine, "engine is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
        this.threads = requireNonNull(threads, "threads is null");
        this.batchBytes = config.getReadBatchSize().toBytes();
        this.stallTimeoutNanos =
                config.getStalledStreamTimeout().roundTo(java.util.concurrent.TimeUnit.NANOSECONDS);
    }

    void doGet(Ticket ticket, StreamObserver<FlightData> responses) {
        // One batch may wait in gRPC while the next one is made.
        int readyThreshold = Math.toIntExact(batchBytes);
        OutboundStream<FlightData> stream =
                new OutboundStream<>(
                        (ServerCallStreamObserver<FlightData>) responses,
                        readyThreshold,
                        stallTimeoutNanos);
        // A thread of its own: gRPC tells of readiness and cancellation on the thread of this
        // method.
        Optional<Lsn> atLeast = ReadLsnInterceptor.latest(Optional.empty());
        threads.newThread(() -> serve(ticket, atLeast, stream)).start();
    }

    private void serve(Ticket ticket, Optional<Lsn> atLeast, OutboundStream<FlightData> stream) {
        try {
            send(ScanTicket.decode(ticket.bytes()), atLeast, stream);
            if (!stream.isCancelled()) {
                stream.complete();
            }
        } catch (IOException | RuntimeException e) {
            if (!stream.isCancelled()) {
                stream.fail(CallFailures.describe("DoGet", e));
            }
        }
    }

    private void send(ScanTicket ticket, Optional<Lsn> atLeast, OutboundStream<FlightData> stream)
            throws IOException {
        StorageEngine open = engine.engine();
        if (ticket.readPointId().isPresent()) {
            ReadPoint leased = open.readPoint(ticket.readPointId().get());
            if (atLeast.isPresent() && leased.lsn().compareTo(atLeast.get()) < 0) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected a ticket whose snapshot sees LSN "
                                + atLeast.get()
                                + ", found "
                                + leased.lsn());
            }
            send(ticket, leased, stream);
            return;
        }
        ReadPoint readPoint =
                Blocking.await(open.openReadPoint(ticket.readLsn(), atLeast, OWN_LEASE));
        try {
            send(ticket, readPoint, stream);
        } finally {
            open.closeReadPoint(readPoint.id());
        }
    }

    private void send(ScanTicket ticket, ReadPoint readPoint, OutboundStream<FlightData> stream)
            throws IOException {
        metrics.scanStarted(ticket.mode());
        StorageEngine open = engine.engine();
        int schemaVersion =
                ticket.schemaVersion()
                        .orElseGet(
                                () ->
                                        open.catalog()
                                                .current()
                                                .table(ticket.tableId())
                                                .schemaVersion());
        List<Integer> stored = ticket.columnIds().stream().filter(id -> id > 0).toList();
        try (RowCursor cursor =
                open.scan(
                        readPoint,
                        ticket.tableId(),
                        schemaVersion,
                        ticket.shard(),
                        ticket.mode(),
                        ticket.predicate(),
                        stored)) {
            TableSchema schema = cursor.schema();
            List<ArrowField> fields = ArrowSchemas.fields(schema, ticket.columnIds());
            ArrowBatchEncoder encoder =
                    ArrowBatchEncoder.forRows(fields, RowLayout.of(schema.columns()));
            stream.send(FlightData.schema(ByteBuffer.wrap(ArrowSchemas.toMessage(fields))));
            long remaining = ticket.limit().orElse(Long.MAX_VALUE);
            while (remaining > 0) {
                ArrowMessage batch = nextBatch(cursor, encoder, remaining);
                if (batch.rowCount() == 0) {
                    return;
                }
                remaining -= batch.rowCount();
                stream.send(FlightData.of(batch.header(), batch.body()));
                metrics.scanned(batch.rowCount(), batch.bodySizeBytes());
            }
        }
    }

    private ArrowMessage nextBatch(RowCursor cursor, ArrowBatchEncoder encoder, long maxRows)
            throws IOException {
        int limit = (int) Math.min(maxRows, MAX_BATCH_ROWS);
        long sizeBytes = 0;
        int rows = 0;
        while (rows < limit && sizeBytes < batchBytes && cursor.next()) {
            encoder.append(cursor.row(), cursor.lsn(), cursor.rowId());
            sizeBytes += cursor.row().length();
            rows++;
        }
        return encoder.finish();
    }
}
