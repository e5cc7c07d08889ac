package io.stele.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.auth.TokenSource;
import io.stele.client.flight.FlightClient;
import io.stele.client.flight.TestingFlightService;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.arrow.ArrowBatch;
import io.stele.protocol.arrow.ArrowBatchDecoder;
import io.stele.protocol.arrow.ArrowRows;
import io.stele.protocol.arrow.ArrowSchemas;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class TestBulkWriter {
    private static final UUID WRITER = new UUID(1, 2);

    private volatile TestingFlightService service;
    private FlightClient flight;

    @BeforeEach
    void setUp() throws IOException {
        service = new TestingFlightService();
        flight =
                new FlightClient(
                        "127.0.0.1",
                        service.port(),
                        Optional.empty(),
                        new TokenSource(TestingFlightService.SECRET, Clock.systemUTC(), "test"));
    }

    @AfterEach
    void tearDown() {
        flight.close();
        service.close();
    }

    @Test
    void testRowsArriveOnceAndInOrderThoughStreamsBreak() {
        service.breakAfter(sequence -> sequence == 2 || sequence == 5);
        TableSchema schema = TestingTables.keyed(1, 1);
        int rows = 100_000;
        try (BulkWriter writer = writer(schema, Duration.ofSeconds(60))) {
            for (long i = 0; i < rows; i++) {
                writer.write(i, i % 10 == 0 ? null : "v" + i);
            }
            assertThat(writer.flush().value()).isEqualTo(service.batches().size() + 1);
            assertThat(writer.acknowledgedRows()).isEqualTo(rows);
        }
        assertThat(service.sequences()).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L);
        assertThat(service.targets()).hasSize(3);
        assertThat(service.targets())
                .allSatisfy(
                        target -> {
                            assertThat(target.writerId()).contains(WRITER);
                            assertThat(target.mode()).isEqualTo(PutMode.UPSERT);
                        });
        List<List<Object>> received = received(schema);
        assertThat(received).hasSize(rows);
        for (int i = 0; i < rows; i++) {
            assertThat(received.get(i).get(0)).isEqualTo((long) i);
            assertThat(received.get(i).get(1)).isEqualTo(i % 10 == 0 ? null : "v" + i);
        }
    }

    /** The first attempt of a step lasts longer than an outage may. */
    @Test
    void whatIsWaitedForBeforeAFailureIsNoOutage() {
        AtomicLong clock = new AtomicLong();
        service.breakAfter(sequence -> sequence == 2);
        try (BulkWriter writer =
                writer(
                        TestingTables.keyed(1, 1),
                        Duration.ofMillis(500),
                        () -> clock.addAndGet(Duration.ofSeconds(1).toNanos()))) {
            for (long i = 0; i < 50_000; i++) {
                writer.write(i, "v" + i);
            }
            writer.flush();
            assertThat(writer.acknowledgedRows()).isEqualTo(50_000);
        }
        assertThat(service.targets()).hasSize(2);
    }

    @Test
    void testFailuresNameTheRowsLeft() {
        BulkWriter writer = writer(TestingTables.unkeyed(1));
        assertThatThrownBy(() -> writer.write("x", "y")).hasMessageContaining("'id'");
        writer.write(1L, "y");
        writer.flush();
        assertThat(service.targets().get(0).mode()).isEqualTo(PutMode.APPEND);
        service.close();
        writer.write(2L, "y");
        assertThatThrownBy(writer::flush)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContaining("1 rows are unacknowledged");
    }

    /** Else the end of a try block would wait as long again, and send what was reported open. */
    @Test
    void aWriterThatFailedSendsNothingAnyMore() throws IOException {
        int port = service.port();
        BulkWriter writer = writer(TestingTables.unkeyed(1));
        service.close();
        writer.write(1L, "x");
        assertThatThrownBy(writer::flush).hasMessageContaining("1 rows are unacknowledged");
        service = new TestingFlightService(port);
        flight.connect(Duration.ofSeconds(20));
        writer.write(2L, "x");
        assertThatThrownBy(writer::flush)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContaining("The writer ended");
        writer.close();
        assertThat(service.targets()).isEmpty();
    }

    /** However long the sidecar was away, and the channel therefore waits. */
    @Test
    void aWriterGoesOnSoonAfterTheSidecarIsBack() throws Exception {
        int port = service.port();
        BulkWriter writer = writer(TestingTables.unkeyed(1), Duration.ofMinutes(2));
        service.close();
        writer.write(1L, "x");
        // gRPC alone would make as many attempts in more than a hundred seconds
        CompletableFuture<@Nullable Void> restart =
                CompletableFuture.runAsync(() -> refuse(port, 10))
                        .thenRun(() -> service = newService(port));
        long start = System.nanoTime();
        writer.close();
        restart.get(120, TimeUnit.SECONDS);
        assertThat(service.targets()).hasSize(1);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(60));
    }

    /** A sidecar that is about to start, say behind a proxy: its connections end at once. */
    private static void refuse(int port, int connections) {
        try (ServerSocket starting = new ServerSocket(port, 50, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < connections; i++) {
                starting.accept().close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static TestingFlightService newService(int port) {
        try {
            return new TestingFlightService(port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private BulkWriter writer(TableSchema schema) {
        return writer(schema, Duration.ofMillis(500));
    }

    private BulkWriter writer(TableSchema schema, Duration unavailable) {
        return writer(schema, unavailable, System::nanoTime);
    }

    private BulkWriter writer(TableSchema schema, Duration unavailable, LongSupplier nanoTime) {
        return new BulkWriter(
                flight,
                schema,
                Optional.of(new TableName(schema.schemaName(), schema.tableName())),
                WRITER,
                unavailable,
                Duration.ofSeconds(20),
                nanoTime);
    }

    private List<List<Object>> received(TableSchema schema) {
        RowLayout layout = RowLayout.of(schema.columns());
        ArrowBatchDecoder decoder = new ArrowBatchDecoder(ArrowSchemas.fields(schema.columns()));
        ArrowRows rows = new ArrowRows(decoder.fields(), layout);
        RowEncoder encoder = new RowEncoder(layout);
        List<List<Object>> received = new ArrayList<>();
        for (FlightData data : service.batches()) {
            ArrowBatch batch = decoder.decode(data.dataHeader(), data.bodyBuffer());
            for (int i = 0; i < batch.rowCount(); i++) {
                int length = rows.encode(batch, i, encoder);
                received.add(
                        Rows.toObjects(new BinaryRow(layout).wrap(encoder.array(), 0, length)));
            }
        }
        return received;
    }
}
