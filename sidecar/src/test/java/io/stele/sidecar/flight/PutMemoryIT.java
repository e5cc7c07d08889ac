package io.stele.sidecar.flight;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.BulkWriter;
import io.stele.client.SteleClient;
import io.stele.client.flight.FlightClient;
import io.stele.client.flight.FlightPut;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.api.write.PutReply;
import io.stele.protocol.api.write.PutTarget;
import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowMessage;
import io.stele.protocol.arrow.ArrowSchemas;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.FlightDescriptor;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import io.stele.sidecar.WatchedMemory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Messages of a DoPut hold memory of the budget for writes from their first byte, and give it back
 * however their stream ends.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
final class PutMemoryIT {
    private static final int LIMIT_BYTES = 8_000_000;
    private static final int ROW_BYTES = 10_000;

    /** Of what has passed: heads of frames, and a frame whose end has not come. */
    private static final int NOT_COUNTED_BYTES = 24 << 10;

    private TestingSidecar sidecar;
    private TableSchema orders;
    private List<ArrowField> fields;
    private WatchedMemory memory;

    @BeforeAll
    void start(@TempDir Path directory) {
        sidecar =
                TestingSidecar.start(
                        directory, Map.of("stele.write.max-pending-size", LIMIT_BYTES + "B"));
        orders = sidecar.createTable(SampleTables.orders(Orientation.ROW)).schema();
        fields = ArrowSchemas.fields(orders.columns());
        memory = new WatchedMemory(sidecar.server().httpPort());
    }

    @AfterAll
    void stop() {
        memory.close();
        sidecar.close();
    }

    @Test
    void aStalledBatchHoldsItsBytesAndOthersGoOn() throws Exception {
        try (SlowLink link = new SlowLink(sidecar.server().flightPort());
                FlightClient slow = flight(link.port());
                FlightPut stalled = slow.put()) {
            link.allow(3_000_000);
            sendSchema(stalled);
            CompletableFuture<PutReply> never = send(stalled, 0, 500);
            long passed = link.awaitPassed();
            memory.await(held -> held.writeBytes() >= passed - NOT_COUNTED_BYTES);

            // Nothing of it is written yet, and there is room for others
            put(1_000, 90, 20);
            assertThatThrownBy(() -> put(5_000, 600, 1))
                    .hasMessageContaining("stele.write.max-pending-size")
                    .extracting(failure -> ((SteleException) failure).code())
                    .isEqualTo(ErrorCode.BUSY);

            // The refused stream gives its bytes back a little after its client knows; until then
            // the stalled one has no room for more either
            memory.await(held -> held.writeBytes() < 3_100_000);
            link.allow(1_000_000);
            memory.await(held -> held.writeBytes() >= 3_900_000);
            assertThat(never).isNotDone();
            link.close(); // in the middle of the batch
            memory.awaitNothing();
        }
        put(5_000, 600, 1);
        checkRows(1_000, 1_800);
        checkRows(5_000, 600);
        try (SteleClient client = sidecar.client()) {
            assertThat(
                            client.table("shop", "orders")
                                    .multiGet(List.<Object[]>of(new Object[] {0L})))
                    .containsExactly(Optional.empty());
        }
        memory.awaitNothing();
        assertThat(memory.max().writeBytes()).isBetween(3_900_000L, (long) LIMIT_BYTES);
    }

    /** A batch that finds no room ends its stream; nothing of it stays. */
    @Test
    void aBatchThatHasBeenRefusedGivesItsBytesBack() throws Exception {
        try (SlowLink link = new SlowLink(sidecar.server().flightPort());
                FlightClient slow = flight(link.port());
                FlightPut first = slow.put();
                SlowLink secondLink = new SlowLink(sidecar.server().flightPort());
                FlightClient other = flight(secondLink.port());
                FlightPut second = other.put()) {
            link.allow(5_000_000);
            sendSchema(first);
            CompletableFuture<PutReply> slowReply = send(first, 10_000, 600);
            // All of it is counted before the second stream may take what is left
            long passed = link.awaitPassed();
            memory.await(held -> held.writeBytes() >= passed - NOT_COUNTED_BYTES);

            secondLink.allow(2_000_000);
            sendSchema(second);
            CompletableFuture<PutReply> refused = send(second, 20_000, 600);
            memory.await(held -> held.writeBytes() >= 6_800_000);
            secondLink.allow(20_000_000);
            assertThatThrownBy(() -> refused.get(120, TimeUnit.SECONDS))
                    .hasMessageContaining("stele.write.max-pending-size");
            memory.await(held -> held.writeBytes() < 5_100_000);

            link.allow(20_000_000);
            assertThat(slowReply.get(120, TimeUnit.SECONDS).rowCount()).isEqualTo(600);
        }
        checkRows(10_000, 600);
        memory.awaitNothing();
        assertThat(memory.max().writeBytes()).isLessThanOrEqualTo(LIMIT_BYTES);
    }

    @Test
    void aStreamThatIsCancelledGivesEverythingBack() throws Exception {
        for (int i = 0; i < 20; i++) {
            // What streams before gave up comes back a little later; without room this is refused
            memory.await(held -> held.writeBytes() < LIMIT_BYTES - 3_000_000);
            try (FlightClient client = sidecar.newFlight()) {
                FlightPut put = client.put();
                sendSchema(put);
                send(put, 30_000, 100);
                send(put, 30_000, 100);
                if (i % 2 == 0) {
                    put.close();
                }
            }
        }
        memory.awaitNothing();
    }

    /** More streams than there is room for, with the client that users have. */
    @Test
    void allRowsOfManyStreamsArrive() throws Exception {
        int streams = 8;
        int rows = 500; // five times what there is room for
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<Void>> ends = new ArrayList<>();
            for (int i = 0; i < streams; i++) {
                long firstId = 100_000L + i * rows;
                ends.add(
                        CompletableFuture.runAsync(
                                () -> {
                                    try (SteleClient client = sidecar.client();
                                            BulkWriter writer =
                                                    client.bulkWriter("shop", "orders")) {
                                        LongStream.range(firstId, firstId + rows)
                                                .forEach(
                                                        id ->
                                                                writer.write(
                                                                        id, text(id), null, null));
                                    }
                                },
                                threads));
            }
            for (CompletableFuture<Void> end : ends) {
                end.get(500, TimeUnit.SECONDS);
            }
        }
        checkRows(100_000, streams * rows);
        memory.awaitNothing();
        assertThat(memory.max().writeBytes()).isLessThanOrEqualTo(LIMIT_BYTES);
    }

    private FlightClient flight(int port) {
        return new FlightClient(
                "127.0.0.1", port, Optional.empty(), TestingSidecar.tokens(TestingSidecar.SECRET));
    }

    /** So many batches of so many rows each, in one stream. */
    private void put(long firstId, int rows, int batches) {
        try (FlightPut put = sidecar.flight().put()) {
            sendSchema(put);
            for (int i = 0; i < batches; i++) {
                send(put, firstId + (long) i * rows, rows);
            }
            put.finish();
        }
    }

    private void sendSchema(FlightPut put) {
        put.sendSchema(
                FlightDescriptor.command(
                        ApiJson.write(
                                PutTarget.of(new TableName("shop", "orders"), PutMode.UPSERT))),
                FlightData.schema(ByteBuffer.wrap(ArrowSchemas.toMessage(fields))));
    }

    private CompletableFuture<PutReply> send(FlightPut put, long firstId, int rows) {
        RowLayout layout = RowLayout.of(orders.columns());
        ArrowBatchEncoder encoder = ArrowBatchEncoder.forRows(fields, layout);
        RowEncoder row = new RowEncoder(layout);
        BinaryRow view = new BinaryRow(layout);
        for (long id = firstId; id < firstId + rows; id++) {
            byte[] text = text(id).getBytes(US_ASCII);
            row.reset();
            row.setLong(0, id);
            row.setBytes(1, text, 0, text.length);
            int length = row.finish();
            encoder.append(view.wrap(row.array(), 0, length));
        }
        ArrowMessage batch = encoder.finish();
        return put.sendBatch(FlightData.of(batch.header(), batch.body()));
    }

    private void checkRows(long firstId, int count) {
        try (SteleClient client = sidecar.client()) {
            List<Object[]> keys =
                    LongStream.range(firstId, firstId + count)
                            .mapToObj(id -> new Object[] {id})
                            .toList();
            List<Optional<List<Object>>> rows = client.table("shop", "orders").multiGet(keys);
            for (int i = 0; i < count; i++) {
                assertThat(rows.get(i).orElseThrow().get(1).equals(text(firstId + i)))
                        .as("text of row %s", firstId + i)
                        .isTrue();
            }
        }
    }

    private static String text(long id) {
        return Character.toString('a' + (int) (id % 26)).repeat(ROW_BYTES);
    }
}
