package io.stele.sidecar.framed;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.stele.protocol.api.scan.CachedPlan;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.TablePlan;
import io.stele.protocol.api.snapshot.OpenTableRequest;
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
import io.stele.protocol.wire.FrameWriter;
import io.stele.protocol.wire.GetTable;
import io.stele.protocol.wire.Hello;
import io.stele.protocol.wire.HelloReply;
import io.stele.protocol.wire.MultiGet;
import io.stele.protocol.wire.MultiGetReply;
import io.stele.protocol.wire.OpenTable;
import io.stele.protocol.wire.OpenTableResult;
import io.stele.protocol.wire.WireLimits;
import io.stele.protocol.wire.Write;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.protocol.wire.WriteReply;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The framed protocol, frame by frame, with well-behaved clients and others. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FramedServerIT {
    private static final int MAX_CONNECTIONS = 4;

    private TestingSidecar sidecar;
    private TableSchema orders;

    @BeforeAll
    void start(@TempDir Path directory) {
        sidecar =
                TestingSidecar.start(
                        directory,
                        Map.of(
                                "stele.client.max-connections",
                                Integer.toString(MAX_CONNECTIONS),
                                "stele.login-timeout",
                                "5s"));
        orders = sidecar.createTable(SampleTables.orders(Orientation.ROW)).schema();
    }

    @AfterAll
    void stop() {
        sidecar.close();
    }

    @Test
    void wrongSecretIsRefusedAndTheConnectionEnds() throws IOException {
        try (Peer peer = new Peer()) {
            peer.hello(TestingSidecar.tokens("another secret of tests").token());
            assertThat(peer.readError().code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
            assertThat(peer.reader.read()).isNull();
        }
    }

    @Test
    void firstFrameMustBeHello() throws IOException {
        try (Peer peer = new Peer()) {
            peer.send(FrameType.PING, 1, new byte[0]);
            assertThat(peer.readError().message()).contains("Expected HELLO").contains("PING");
            assertThat(peer.reader.read()).isNull();
        }
    }

    @Test
    void beforeHelloOnlySmallFramesAreRead() throws IOException {
        try (Peer peer = new Peer()) {
            peer.send(FrameType.HELLO, 1, new byte[WireLimits.MAX_HELLO_BYTES + 1]);
            assertThat(peer.readError().code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        }
    }

    @Test
    void silentConnectionIsClosed() throws IOException {
        try (Peer peer = new Peer()) {
            assertThat(peer.reader.read()).isNull();
        }
    }

    @Test
    void byteAtATimeDoesNotMoveTheDeadline() throws Exception {
        try (Peer peer = new Peer()) {
            // A HELLO of 16 KiB: by a byte each 100 ms it would take 27 minutes
            byte[] head = {0, 0, 0x40, 0, FrameType.HELLO.code(), 0, 0, 0, 0};
            peer.socket.getOutputStream().write(head);
            Thread trickle =
                    Thread.startVirtualThread(
                            () -> {
                                try {
                                    while (true) {
                                        peer.socket.getOutputStream().write(0);
                                        LockSupport.parkNanos(100_000_000);
                                    }
                                } catch (IOException closed) {
                                    // The server has closed
                                }
                            });
            assertThat(endsWithin(peer)).isTrue();
            peer.close();
            trickle.join();
        }
    }

    /** Whether the server closes before the socket's own timeout of 20 s. */
    private static boolean endsWithin(Peer peer) throws IOException {
        try {
            return peer.reader.read() == null;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException e) {
            return true;
        }
    }

    @Test
    void anotherProtocolIsRefused() throws IOException {
        try (Peer peer = new Peer()) {
            peer.socket
                    .getOutputStream()
                    .write(
                            "GET / HTTP/1.1\r\n\r\n"
                                    .getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            assertThat(peer.readError().code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            assertThat(peer.reader.read()).isNull();
        }
    }

    @Test
    void oneConnectionTooManyIsBusy() throws IOException {
        Peer[] peers = new Peer[MAX_CONNECTIONS];
        try {
            for (int i = 0; i < peers.length; i++) {
                peers[i] = Peer.welcomed(this);
            }
            try (Peer late = new Peer()) {
                // It is heard even by a client that has sent its HELLO meanwhile
                late.hello(TestingSidecar.tokens(TestingSidecar.SECRET).token());
                ErrorReply error = late.readError();
                assertThat(error.code()).isEqualTo(ErrorCode.BUSY);
                assertThat(error.message()).contains("stele.client.max-connections");
            }
            // Those who are in are served on.
            peers[0].send(FrameType.PING, 7, new byte[0]);
            assertThat(peers[0].read().type()).isEqualTo(FrameType.PING_REPLY);
        } finally {
            for (Peer peer : peers) {
                if (peer != null) {
                    peer.close();
                }
            }
        }
    }

    @Test
    void writesAndLookupsArePipelined() throws IOException {
        UUID writerId = UUID.randomUUID();
        try (Peer peer = Peer.welcomed(this)) {
            for (int i = 0; i < 50; i++) {
                peer.queueWrite(100 + i, writerId, i, 1000 + i, "status " + i);
            }
            peer.flush();
            Lsn last = Lsn.MIN;
            for (int i = 0; i < 50; i++) {
                Frame frame = peer.read();
                assertThat(frame.type()).isEqualTo(FrameType.WRITE_REPLY);
                assertThat(frame.requestId()).isBetween(100, 149);
                Lsn lsn = WriteReply.decode(frame).lsn();
                last = lsn.compareTo(last) > 0 ? lsn : last;
            }
            for (int i = 0; i < 50; i++) {
                byte[] key = key(1000 + i);
                peer.queue(
                        FrameType.MULTI_GET,
                        200 + i,
                        new MultiGet(orders.id(), 1, Optional.of(last), List.of(key, key(-1)))
                                .encode());
            }
            peer.flush();
            for (int i = 0; i < 50; i++) {
                Frame frame = peer.read();
                assertThat(frame.type()).isEqualTo(FrameType.MULTI_GET_REPLY);
                MultiGetReply reply = MultiGetReply.decode(frame);
                assertThat(reply.rows()).hasSize(2);
                assertThat(reply.rows().get(0).orElseThrow())
                        .isEqualTo(
                                row(
                                        1000 + frame.requestId() - 200,
                                        "status " + (frame.requestId() - 200)));
                assertThat(reply.rows().get(1)).isEmpty();
            }
        }
    }

    @Test
    void repeatedWriteIsAnsweredWithTheFirstLsn() throws IOException {
        UUID writerId = UUID.randomUUID();
        try (Peer peer = Peer.welcomed(this);
                Peer again = Peer.welcomed(this)) {
            peer.queueWrite(1, writerId, 0, 5000, "first");
            peer.flush();
            Lsn first = WriteReply.decode(peer.read()).lsn();
            again.queueWrite(1, writerId, 0, 5000, "must not be applied");
            again.flush();
            assertThat(WriteReply.decode(again.read()).lsn()).isEqualTo(first);
            again.send(
                    FrameType.MULTI_GET,
                    2,
                    new MultiGet(orders.id(), 1, Optional.empty(), List.of(key(5000))).encode());
            assertThat(MultiGetReply.decode(again.read()).rows().get(0).orElseThrow())
                    .isEqualTo(row(5000, "first"));
        }
    }

    @Test
    void badRequestsAreAnsweredAndTheConnectionGoesOn() throws IOException {
        try (Peer peer = Peer.welcomed(this)) {
            peer.send(FrameType.GET_TABLE, 1, new GetTable("shop", "nothing").encode());
            assertThat(peer.readError().code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
            peer.send(FrameType.GET_TABLE, 2, new GetTable("nowhere", "orders").encode());
            assertThat(peer.readError().code()).isEqualTo(ErrorCode.SCHEMA_NOT_FOUND);
            peer.send(FrameType.WRITE, 3, new byte[10]);
            assertThat(peer.readError().code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            peer.queue(
                    FrameType.WRITE,
                    4,
                    concat(
                            Write.encodeHead(new ShardId(999, 0), UUID.randomUUID(), 0),
                            batch(1, "x")));
            peer.flush();
            assertThat(peer.readError().code().category())
                    .isNotEqualTo(ErrorCode.Category.INTERNAL);
            WriteBatchBuilder builder = new WriteBatchBuilder(orders.id(), 1);
            builder.upsert(key(1), new byte[] {1, 2, 3});
            byte[] brokenRow = builder.toByteArray();
            peer.queue(
                    FrameType.WRITE,
                    5,
                    concat(Write.encodeHead(shardOf(1), UUID.randomUUID(), 0), brokenRow));
            peer.flush();
            assertThat(peer.readError().code()).isEqualTo(ErrorCode.CORRUPT_DATA);
            peer.send(FrameType.HELLO_REPLY, 6, new byte[0]);
            assertThat(peer.readError().message()).contains("Expected a request");
            peer.send(FrameType.OPEN_TABLE, 8, new byte[] {1, 0, 4});
            assertThat(peer.readError().message())
                    .contains("Malformed OPEN_TABLE: expected 4 bytes of schema, found 0");
            peer.send(FrameType.GET_TABLE, 7, new GetTable("shop", "orders").encode());
            Frame reply = peer.read();
            assertThat(ApiJson.read(reply.payload(), TableDescription.class).schema())
                    .isEqualTo(orders);
        }
    }

    @Test
    void tablesAreOpenedBetweenOtherRequests() throws IOException {
        byte[] open =
                OpenTable.encode(
                        new OpenTableRequest(
                                TableRequest.of("shop", "orders"), 60_000, Optional.empty()));
        try (Peer peer = Peer.welcomed(this)) {
            for (int round = 0; round < 20; round++) {
                int first = round * 3;
                peer.queue(FrameType.OPEN_TABLE, first, open);
                peer.queue(FrameType.PING, first + 1, new byte[0]);
                peer.queue(FrameType.OPEN_TABLE, first + 2, open);
                peer.flush();
                Map<Integer, FrameType> replies = new HashMap<>();
                for (int i = 0; i < 3; i++) {
                    Frame frame = peer.read();
                    replies.put(frame.requestId(), frame.type());
                }
                assertThat(replies)
                        .containsExactlyInAnyOrderEntriesOf(
                                Map.of(
                                        first,
                                        FrameType.OPEN_TABLE_REPLY,
                                        first + 1,
                                        FrameType.PING_REPLY,
                                        first + 2,
                                        FrameType.OPEN_TABLE_REPLY));
            }
            // A thread of its own ends a connection that breaks the protocol as others do
            peer.send(FrameType.ACTION, 99, new byte[0]);
            assertThat(peer.readError().code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        }
    }

    /** To those who do not know of checksums in key indexes, a file has none. */
    @Test
    void plansAreInTheVersionOfTheClient() throws IOException {
        TableSchema events = sidecar.createTable(SampleTables.events()).schema();
        WriteBatchBuilder rows = new WriteBatchBuilder(events.id(), events.schemaVersion());
        rows.append(row(1, "stored"));
        byte[] open =
                OpenTable.encode(
                        new OpenTableRequest(
                                TableRequest.of("shop", "events"),
                                60_000,
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.of(
                                        List.of(
                                                new CachedPlan(
                                                        events.id(),
                                                        events.schemaVersion(),
                                                        Optional.empty(),
                                                        TablePlan.MAX_CELLS)))));
        try (Peer peer = Peer.welcomed(this)) {
            peer.send(
                    FrameType.WRITE,
                    1,
                    concat(
                            Write.encodeHead(events.shard(0), UUID.randomUUID(), 0),
                            rows.toByteArray()));
            assertThat(peer.read().type()).isEqualTo(FrameType.WRITE_REPLY);
        }
        sidecar.flight().action(MaintenanceActions.FLUSH, TableRequest.of("shop", "events"));
        for (int version = WireLimits.OPEN_TABLE_VERSION;
                version <= WireLimits.VERSION;
                version++) {
            try (Peer peer = Peer.welcomed(this, version)) {
                peer.send(FrameType.OPEN_TABLE, 2, open);
                List<FileScan> files =
                        OpenTableResult.decode(peer.read()).plans().orElseThrow().stream()
                                .flatMap(plan -> plan.shards().orElseThrow().stream())
                                .flatMap(shard -> shard.files().stream())
                                .toList();
                assertThat(files).hasSize(1);
                assertThat(files.getFirst().checksumBlockBytes()).isEmpty();
                assertThat(files.getFirst().indexedMetadata().isPresent())
                        .as("version %s", version)
                        .isEqualTo(version >= WireLimits.INDEXED_METADATA_VERSION);
            }
        }
    }

    private byte[] row(long id, String status) {
        RowEncoder encoder = new RowEncoder(RowLayout.of(orders.columns()));
        encoder.setLong(0, id);
        byte[] text = status.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        encoder.setBytes(1, text, 0, text.length);
        return encoder.finishToArray();
    }

    private byte[] key(long id) {
        return KeyEncoder.forPrimaryKey(orders).encodeObjects(List.of(id));
    }

    private ShardId shardOf(long id) {
        return orders.shard(RowRouter.of(orders).shardOfKey(key(id)));
    }

    private byte[] batch(long id, String status) {
        WriteBatchBuilder builder = new WriteBatchBuilder(orders.id(), orders.schemaVersion());
        builder.upsert(key(id), row(id, status));
        return builder.toByteArray();
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = java.util.Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    /** A bare connection. */
    private final class Peer implements AutoCloseable {
        private final Socket socket = new Socket("127.0.0.1", sidecar.server().clientPort());
        private final FrameReader reader;
        private final FrameWriter writer;

        Peer() throws IOException {
            socket.setSoTimeout(20_000);
            reader = new FrameReader(socket.getInputStream(), WireLimits.MAX_FRAME_BYTES);
            writer = new FrameWriter(socket.getOutputStream());
        }

        /** A connection, once the server has noticed that those of the test before have ended. */
        static Peer welcomed(FramedServerIT test) throws IOException {
            return welcomed(test, WireLimits.VERSION);
        }

        /** The same of a client that speaks a version. */
        static Peer welcomed(FramedServerIT test, int version) throws IOException {
            long start = System.nanoTime();
            while (true) {
                Peer peer = test.new Peer();
                peer.hello(TestingSidecar.tokens(TestingSidecar.SECRET).token(), version);
                Frame answer = peer.read();
                if (answer.type() == FrameType.ERROR) {
                    ErrorReply error = ErrorReply.decode(answer);
                    peer.close();
                    assertThat(error.code()).as(error.message()).isEqualTo(ErrorCode.BUSY);
                    assertThat(Duration.ofNanos(System.nanoTime() - start))
                            .isLessThan(Duration.ofSeconds(20));
                    continue;
                }
                assertThat(HelloReply.decode(answer).version()).isEqualTo(version);
                return peer;
            }
        }

        void hello(String token) throws IOException {
            hello(token, WireLimits.VERSION);
        }

        void hello(String token, int version) throws IOException {
            send(FrameType.HELLO, 0, new Hello(version, token, "test", Optional.empty()).encode());
        }

        void send(FrameType type, int requestId, byte[] payload) throws IOException {
            queue(type, requestId, payload);
            flush();
        }

        void queue(FrameType type, int requestId, byte[] payload) throws IOException {
            writer.write(type, requestId, payload);
        }

        void queueWrite(int requestId, UUID writerId, long sequence, long id, String status)
                throws IOException {
            queue(
                    FrameType.WRITE,
                    requestId,
                    concat(Write.encodeHead(shardOf(id), writerId, sequence), batch(id, status)));
        }

        void flush() throws IOException {
            writer.flush();
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
