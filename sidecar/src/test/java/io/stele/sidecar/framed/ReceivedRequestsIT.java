package io.stele.sidecar.framed;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateSchemaRequest;
import io.stele.protocol.api.catalog.CreateViewRequest;
import io.stele.protocol.api.catalog.ListTablesRequest;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.catalog.ViewRequest;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.RowRouter;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.ErrorReply;
import io.stele.protocol.wire.Frame;
import io.stele.protocol.wire.FrameReader;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.Hello;
import io.stele.protocol.wire.WireLimits;
import io.stele.protocol.wire.Write;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import io.stele.sidecar.WatchedMemory;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
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
 * Requests of the framed port take their memory when they are announced, before they are read, and
 * give it back however they end.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
final class ReceivedRequestsIT {
    private static final int REQUESTS_BYTES = 65 << 20; // the least that may be configured
    private static final int WRITES_BYTES = 8_000_000;
    private static final int LARGE_TEXT = 6_000_000;

    private TestingSidecar sidecar;
    private TableSchema orders;
    private WatchedMemory memory;

    @BeforeAll
    void start(@TempDir Path directory) {
        sidecar =
                TestingSidecar.start(
                        directory,
                        Map.of(
                                "stele.client.max-pending-bytes",
                                "65MB",
                                "stele.write.max-pending-size",
                                WRITES_BYTES + "B"));
        orders = sidecar.createTable(SampleTables.orders(Orientation.ROW)).schema();
        memory = new WatchedMemory(sidecar.server().httpPort());
    }

    @AfterAll
    void stop() {
        memory.close();
        sidecar.close();
    }

    @Test
    void requestsAreReadWhenThereIsRoomForThem() throws Exception {
        byte[] large = frame(FrameType.ACTION, 1, new byte[40_000_000]);
        byte[] small = frame(FrameType.PING, 2, new byte[0]);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Peer stalled = new Peer();
                Peer waiting = new Peer()) {
            stalled.send(large, 0, large.length - 1);
            memory.await(held -> held.requestBytes() >= 40_000_000);
            CompletableFuture<Void> sent =
                    CompletableFuture.runAsync(() -> waiting.send(large, 0, large.length), threads);
            assertThat(sent).isNotDone(); // what has no room does not fit the sockets either
            stalled.close();
            sent.get(120, TimeUnit.SECONDS);
            assertThat(waiting.readError().code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            waiting.send(small, 0, small.length);
            assertThat(waiting.read().type()).isEqualTo(FrameType.PING_REPLY);
        }
        memory.awaitNothing();
        assertThat(memory.max().requestBytes()).isBetween(40_000_000L, (long) REQUESTS_BYTES);
    }

    @Test
    void writesWithoutRoomAreRefusedUnread() throws Exception {
        byte[] first = write(1, UUID.randomUUID(), 0, 100, LARGE_TEXT);
        byte[] second = write(2, UUID.randomUUID(), 0, 101, LARGE_TEXT);
        byte[] small = write(3, UUID.randomUUID(), 0, 102, 10);
        try (Peer slow = new Peer();
                Peer refused = new Peer()) {
            slow.send(first, 0, first.length / 2);
            memory.await(held -> held.writeBytes() >= LARGE_TEXT);
            refused.send(second, 0, second.length);
            ErrorReply busy = refused.readError();
            assertThat(busy.code()).isEqualTo(ErrorCode.BUSY);
            assertThat(busy.message()).contains("stele.write.max-pending-size");
            refused.send(small, 0, small.length); // its connection goes on
            assertThat(refused.read().type()).isEqualTo(FrameType.WRITE_REPLY);

            slow.send(first, first.length / 2, first.length);
            assertThat(slow.read().type()).isEqualTo(FrameType.WRITE_REPLY);
            memory.await(held -> held.writeBytes() == 0);
            refused.send(second, 0, second.length);
            assertThat(refused.read().type()).isEqualTo(FrameType.WRITE_REPLY);
        }
        checkRow(100, LARGE_TEXT);
        checkRow(101, LARGE_TEXT);
        checkRow(102, 10);
        memory.awaitNothing();
        assertThat(memory.max().writeBytes()).isBetween((long) LARGE_TEXT, (long) WRITES_BYTES);
    }

    /** What a call of Flight brings counts as well, but for small ones. */
    /** The transport goes on to deliver what it had received when the request was refused. */
    @Test
    void anActionThatIsRefusedHasNoEffect() throws Exception {
        sidecar.flight()
                .action(CatalogActions.CREATE_SCHEMA, new CreateSchemaRequest("views", true));
        byte[] first = write(1, UUID.randomUUID(), 0, 300, LARGE_TEXT);
        byte[] second = write(1, UUID.randomUUID(), 0, 301, 1_300_000);
        List<CreateViewRequest> refused = new ArrayList<>();
        try (Peer slow = new Peer();
                Peer other = new Peer()) {
            slow.send(first, 0, first.length / 2);
            other.send(second, 0, second.length / 2);
            memory.await(held -> held.writeBytes() >= LARGE_TEXT + 1_300_000);
            // Of one of them the last bytes of all find no room
            for (int length = 600_000; length <= 900_000; length += 10_000) {
                CreateViewRequest view =
                        new CreateViewRequest(
                                new TableName("views", "v" + length),
                                "x".repeat(length),
                                false,
                                Optional.empty());
                try {
                    sidecar.flight().action(CatalogActions.CREATE_VIEW, view);
                    sidecar.flight()
                            .action(CatalogActions.DROP_VIEW, new ViewRequest(view.name(), false));
                } catch (SteleException busy) {
                    assertThat(busy).hasMessageContaining("stele.write.max-pending-size");
                    assertThat(busy.code()).isEqualTo(ErrorCode.BUSY);
                    refused.add(view);
                }
            }
        }
        memory.awaitNothing();
        assertThat(refused).isNotEmpty();
        assertThat(
                        sidecar.flight()
                                .action(
                                        CatalogActions.LIST_VIEWS,
                                        new ListTablesRequest(Optional.of("views")))
                                .views())
                .isEmpty();
    }

    @Test
    void actionsWithoutRoomForTheirRequestAreRefused() throws Exception {
        byte[] first = write(1, UUID.randomUUID(), 0, 300, LARGE_TEXT);
        CreateSchemaRequest large = new CreateSchemaRequest("s".repeat(4_000_000), true);
        try (Peer slow = new Peer()) {
            slow.send(first, 0, first.length / 2);
            memory.await(held -> held.writeBytes() >= LARGE_TEXT);
            assertThatThrownBy(() -> sidecar.flight().action(CatalogActions.CREATE_SCHEMA, large))
                    .hasMessageContaining("stele.write.max-pending-size")
                    .extracting(failure -> ((SteleException) failure).code())
                    .isEqualTo(ErrorCode.BUSY);
            sidecar.flight() // by the same connection
                    .action(CatalogActions.CREATE_SCHEMA, new CreateSchemaRequest("s", true));
        }
        memory.awaitNothing();
        assertThatThrownBy(() -> sidecar.flight().action(CatalogActions.CREATE_SCHEMA, large))
                .extracting(failure -> ((SteleException) failure).code())
                .isNotEqualTo(ErrorCode.BUSY);
        memory.awaitNothing();
    }

    @Test
    void clientsThatLeaveGiveBackWhatTheyHeld() throws Exception {
        byte[] large = write(1, UUID.randomUUID(), 0, 200, LARGE_TEXT);
        for (int sent : new int[] {9, 9 + Write.HEAD_BYTES, large.length / 2, large.length - 1}) {
            try (Peer gone = new Peer()) {
                gone.send(large, 0, sent);
                memory.await(held -> held.writeBytes() >= LARGE_TEXT);
            }
            memory.awaitNothing();
        }
        try (Peer gone = new Peer()) {
            gone.send(large, 0, large.length); // and does not read the answer
        }
        try (SteleClient client = sidecar.client()) {
            List<Object[]> key = List.<Object[]>of(new Object[] {200L});
            while (client.table("shop", "orders").multiGet(key).getFirst().isEmpty()) {
                Thread.onSpinWait(); // the whole test has a time limit
            }
        }
        checkRow(200, LARGE_TEXT);
        memory.awaitNothing();
    }

    /** More of them than there is room for, with the client that users have. */
    @Test
    void allRowsOfManyWritersArrive() throws Exception {
        int writers = 6;
        int rows = 20;
        int text = 900_000;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<Void>> ends = new ArrayList<>();
            for (int i = 0; i < writers; i++) {
                long firstId = 1_000L + i * rows;
                ends.add(CompletableFuture.runAsync(() -> writeRows(firstId, rows, text), threads));
            }
            for (CompletableFuture<Void> end : ends) {
                end.get(500, TimeUnit.SECONDS);
            }
        }
        for (long id = 1_000; id < 1_000 + writers * rows; id++) {
            checkRow(id, text);
        }
        memory.awaitNothing();
        assertThat(memory.max().writeBytes()).isLessThanOrEqualTo(WRITES_BYTES);
    }

    private void writeRows(long firstId, int rows, int text) {
        try (SteleClient client = sidecar.client();
                TableWriter writer = client.writer("shop", "orders")) {
            LongStream.range(firstId, firstId + rows)
                    .forEach(id -> writer.upsert(id, text(id, text), null, null));
        }
    }

    private void checkRow(long id, int textBytes) {
        try (SteleClient client = sidecar.client()) {
            List<Object> row =
                    client.table("shop", "orders")
                            .multiGet(List.<Object[]>of(new Object[] {id}))
                            .getFirst()
                            .orElseThrow();
            assertThat(row.get(1).equals(text(id, textBytes))).as("text of row %s", id).isTrue();
        }
    }

    private static String text(long id, int bytes) {
        return Character.toString('a' + (int) (id % 26)).repeat(bytes);
    }

    private byte[] write(int requestId, UUID writerId, long sequence, long id, int textBytes) {
        RowEncoder encoder = new RowEncoder(RowLayout.of(orders.columns()));
        encoder.setLong(0, id);
        byte[] text = text(id, textBytes).getBytes(US_ASCII);
        encoder.setBytes(1, text, 0, text.length);
        byte[] key = KeyEncoder.forPrimaryKey(orders).encodeObjects(List.of(id));
        ShardId shard = orders.shard(RowRouter.of(orders).shardOfKey(key));
        WriteBatchBuilder builder = new WriteBatchBuilder(orders.id(), orders.schemaVersion());
        builder.upsert(key, encoder.finishToArray());
        byte[] head = Write.encodeHead(shard, writerId, sequence);
        byte[] batch = builder.toByteArray();
        byte[] payload = Arrays.copyOf(head, head.length + batch.length);
        System.arraycopy(batch, 0, payload, head.length, batch.length);
        return frame(FrameType.WRITE, requestId, payload);
    }

    private static byte[] frame(FrameType type, int requestId, byte[] payload) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(WireLimits.FRAME_OVERHEAD_BYTES + payload.length);
            out.writeByte(type.code());
            out.writeInt(requestId);
            out.write(payload);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    /** A connection that has logged in, and sends as little of a frame at a time as it likes. */
    private final class Peer implements AutoCloseable {
        private final Socket socket = new Socket("127.0.0.1", sidecar.server().clientPort());
        private final FrameReader reader;

        Peer() throws IOException {
            socket.setSoTimeout(60_000);
            reader = new FrameReader(socket.getInputStream(), WireLimits.MAX_FRAME_BYTES);
            String token = TestingSidecar.tokens(TestingSidecar.SECRET).token();
            byte[] hello =
                    frame(
                            FrameType.HELLO,
                            0,
                            new Hello(WireLimits.VERSION, token, "test", Optional.empty())
                                    .encode());
            send(hello, 0, hello.length);
            assertThat(read().type()).isEqualTo(FrameType.HELLO_REPLY);
        }

        void send(byte[] bytes, int from, int to) {
            try {
                socket.getOutputStream().write(bytes, from, to - from);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        Frame read() throws IOException {
            return requireNonNull(reader.read(), "the connection ended");
        }

        ErrorReply readError() throws IOException {
            Frame frame = read();
            assertThat(frame.type()).isEqualTo(FrameType.ERROR);
            return ErrorReply.decode(frame);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
