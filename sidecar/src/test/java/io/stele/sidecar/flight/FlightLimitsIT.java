package io.stele.sidecar.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.stele.client.flight.FlightClient;
import io.stele.client.flight.FlightPut;
import io.stele.client.flight.FlightStream;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanTicket;
import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.api.write.PutReply;
import io.stele.protocol.api.write.PutTarget;
import io.stele.protocol.arrow.ArrowBatchDecoder;
import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowMessage;
import io.stele.protocol.arrow.ArrowSchemas;
import io.stele.protocol.flight.ActionType;
import io.stele.protocol.flight.BasicAuth;
import io.stele.protocol.flight.Empty;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.FlightDescriptor;
import io.stele.protocol.flight.FlightMethods;
import io.stele.protocol.flight.Handshake;
import io.stele.protocol.flight.Ticket;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.Frame;
import io.stele.protocol.wire.FrameReader;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.FrameWriter;
import io.stele.protocol.wire.Hello;
import io.stele.protocol.wire.WireLimits;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import io.stele.sidecar.flight.call.AuthenticationInterceptor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * What happens at the limits of the Flight server: busy, a slow reader, a stalled one, a message
 * too large.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FlightLimitsIT {
    private static final int MAX_STREAMS = 3;
    private static final int MAX_CONNECTIONS = 3;
    private static final int ROWS = 60_000;
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** With empty SETTINGS and their acknowledgement, by which the handshake is complete. */
    private static final byte[] HTTP2_PREFACE =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0\0\0\0\4\1\0\0\0\0"
                    .getBytes(StandardCharsets.US_ASCII);

    private TestingSidecar sidecar;
    private TableSchema orders;

    @BeforeAll
    void start(@TempDir Path directory) {
        sidecar =
                TestingSidecar.start(
                        directory,
                        Map.of(
                                "stele.flight.max-streams", Integer.toString(MAX_STREAMS),
                                "stele.flight.max-connections", Integer.toString(MAX_CONNECTIONS),
                                "stele.flight.stalled-stream-timeout", "10s",
                                "stele.flight.read-batch-size", "64kB",
                                "stele.flight.max-message-size", "4MB",
                                "stele.client.max-connections", "2",
                                "stele.login-timeout", "5s"));
        TableDescription created = sidecar.createTable(SampleTables.orders(Orientation.ROW));
        orders = created.schema();
        putOrders();
    }

    @AfterAll
    void stop() {
        sidecar.close();
    }

    /** 60,000 rows of 1 kB: far more than every buffer between the sidecar and a client. */
    private void putOrders() {
        List<CompletableFuture<PutReply>> replies = new ArrayList<>();
        try (FlightPut put = sidecar.flight().put()) {
            List<ArrowField> fields = ArrowSchemas.fields(orders.columns());
            put.sendSchema(
                    FlightDescriptor.command(
                            ApiJson.write(
                                    PutTarget.of(new TableName("shop", "orders"), PutMode.UPSERT))),
                    FlightData.schema(ByteBuffer.wrap(ArrowSchemas.toMessage(fields))));
            for (int first = 0; first < ROWS; first += 1_000) {
                ArrowMessage batch = batch(fields, first, 1_000, 1_000);
                replies.add(put.sendBatch(FlightData.of(batch.header(), batch.body())));
            }
            put.finish();
        }
        assertThat(replies).allSatisfy(reply -> assertThat(reply).isCompleted());
        assertThat(replies.stream().mapToLong(reply -> reply.join().rowCount()).sum())
                .isEqualTo(ROWS);
    }

    private ArrowMessage batch(List<ArrowField> fields, int firstId, int rows, int textBytes) {
        RowLayout layout = RowLayout.of(orders.columns());
        ArrowBatchEncoder encoder = ArrowBatchEncoder.forRows(fields, layout);
        RowEncoder row = new RowEncoder(layout);
        BinaryRow view = new BinaryRow(layout);
        byte[] text = "x".repeat(textBytes).getBytes(StandardCharsets.US_ASCII);
        for (int id = firstId; id < firstId + rows; id++) {
            row.reset();
            row.setLong(0, id);
            row.setBytes(1, text, 0, text.length);
            int length = row.finish();
            encoder.append(view.wrap(row.array(), 0, length));
        }
        return encoder.finish();
    }

    private FlightStream scan(int shard) {
        ScanTicket ticket =
                ScanTicket.of(orders.id(), ScanMode.SNAPSHOT, List.of(1, 2))
                        .in(orders.shard(shard))
                        .build();
        return sidecar.flight().get(new Ticket(ticket.encode()));
    }

    @Test
    void oneCallTooManyIsBusy() {
        List<FlightStream> open = new ArrayList<>();
        try {
            for (int i = 0; i < MAX_STREAMS; i++) {
                open.add(awaitFree(i).stream());
            }
            assertThatThrownBy(
                            () -> sidecar.flight().action(CatalogActions.LIST_SCHEMAS, Done.DONE))
                    .hasMessageContaining("stele.flight.max-streams")
                    .extracting(failure -> ((SteleException) failure).code())
                    .isEqualTo(ErrorCode.BUSY);
        } finally {
            open.forEach(FlightStream::close);
        }
    }

    /** 300 strangers over 3 channels, which would take the 3 streams there are a hundred times. */
    @Test
    void idleHandshakesLeaveCallsTheirPlaces() throws Exception {
        List<ManagedChannel> channels = new ArrayList<>();
        try {
            List<CompletableFuture<Status>> ends = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                ManagedChannel channel = channel();
                channels.add(channel);
                for (int j = 0; j < 100; j++) {
                    ends.add(handshake(channel).ended());
                }
            }
            // The places of strangers are fewer, so the first ones have come and given way
            assertThat(ends.getFirst().get(120, TimeUnit.SECONDS).getCode())
                    .isNotEqualTo(Status.Code.OK);
            assertThat(schemas()).contains("shop");
            // All end by their deadline; a handshake that speaks is answered before and after
            for (CompletableFuture<Status> end : ends) {
                assertThat(end.get(120, TimeUnit.SECONDS).getCode()).isNotEqualTo(Status.Code.OK);
            }
            assertThat(schemas()).contains("shop");
        } finally {
            channels.forEach(ManagedChannel::shutdownNow);
        }
    }

    /** More of them than there are places for strangers: the oldest give way. */
    @Test
    void silentFlightConnectionsLeaveClientsTheirPlaces() throws Exception {
        List<Socket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 300; i++) {
                silent.add(socket());
            }
            try (FlightClient client = sidecar.newFlight()) {
                assertThat(schemas(client)).contains("shop");
            }
            for (Socket socket : silent) {
                awaitEnd(socket);
            }
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    /** Clients that speak HTTP/2 and never call are strangers as well. */
    @Test
    void connectionsThatNeverCallAreClosed() throws Exception {
        try (Socket socket = socket()) {
            socket.getOutputStream().write(HTTP2_PREFACE);
            awaitEnd(socket);
        }
    }

    /** The call without the secret is answered, but its client does not end its side. */
    @Test
    void connectionsWithAnOpenStreamAreClosed() throws Exception {
        try (Socket socket = socket()) {
            socket.getOutputStream().write(HTTP2_PREFACE);
            ByteArrayOutputStream block = new ByteArrayOutputStream();
            block.write(0x83); // :method POST
            block.write(0x86); // :scheme http
            header(block, new byte[] {0x04}, "/arrow.flight.protocol.FlightService/DoPut");
            header(block, new byte[] {0x01}, "127.0.0.1"); // :authority
            header(block, new byte[] {0x0f, 0x10}, "application/grpc"); // content-type
            block.write(0);
            header(block, new byte[] {2, 't', 'e'}, "trailers");
            OutputStream output = socket.getOutputStream();
            output.write(new byte[] {0, 0, (byte) block.size(), 1, 4, 0, 0, 0, 1}); // END_HEADERS
            output.write(block.toByteArray());
            assertThat(new String(awaitEnd(socket), StandardCharsets.ISO_8859_1))
                    .contains("application/grpc"); // an answer came before
        }
    }

    /** A literal of HPACK, RFC 7541, section 6.2.2. */
    private static void header(ByteArrayOutputStream block, byte[] name, String value) {
        block.writeBytes(name);
        block.write(value.length());
        block.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void connectionsThatHaveLoggedInStayAndAreLimited() throws Exception {
        List<ManagedChannel> channels = new ArrayList<>();
        try {
            List<CompletableFuture<Void>> left = new ArrayList<>();
            for (int i = 1; i < MAX_CONNECTIONS; i++) { // and that of all tests
                ManagedChannel channel = channel();
                channels.add(channel);
                awaitPlace(channel);
                left.add(whenLeft(channel));
            }
            ManagedChannel more = channel();
            channels.add(more);
            assertThatThrownBy(() -> listActions(more))
                    .hasMessageContaining("stele.flight.max-connections");
            assertThat(logIn(more, TestingSidecar.SECRET).getDescription())
                    .contains("stele.flight.max-connections");
            // One that begins now is closed at a deadline that is later than theirs would be
            try (Socket socket = socket()) {
                socket.getOutputStream().write(HTTP2_PREFACE);
                awaitEnd(socket);
            }
            assertThat(left).noneMatch(CompletableFuture::isDone);
            channels.getFirst().shutdownNow();
            awaitPlace(more);
        } finally {
            channels.forEach(ManagedChannel::shutdownNow);
        }
    }

    /** As older clients do, which then may do nothing for a while. */
    @Test
    void handshakeWithTheSecretInItsPayloadLogsItsConnectionIn() throws Exception {
        ManagedChannel known = channel();
        ManagedChannel stranger = channel();
        try {
            awaitLogin(known);
            CompletableFuture<Void> left = whenLeft(known);
            assertThat(logIn(stranger, "not the secret").getCode())
                    .isEqualTo(Status.Code.UNAUTHENTICATED);
            // It began later, so the other one's deadline is over as well when it is closed
            whenLeft(stranger).get(120, TimeUnit.SECONDS);
            assertThat(listActions(known)).isPositive();
            assertThat(left).isNotDone();
        } finally {
            known.shutdownNow();
            stranger.shutdownNow();
        }
    }

    /** As {@link #awaitPlace}, by the payload of a handshake. */
    private static void awaitLogin(ManagedChannel channel) throws Exception {
        Status end = logIn(channel, TestingSidecar.SECRET);
        for (int attempt = 0;
                end.getCode() == Status.Code.RESOURCE_EXHAUSTED && attempt < 10_000;
                attempt++) {
            end = logIn(channel, TestingSidecar.SECRET);
        }
        assertThat(end.getCode()).as(end.toString()).isEqualTo(Status.Code.OK);
    }

    private static Status logIn(ManagedChannel channel, String secret) throws Exception {
        OpenHandshake open = handshake(channel);
        open.requests().onNext(new Handshake(0, new BasicAuth("anybody", secret).encode()));
        return open.ended().get(120, TimeUnit.SECONDS);
    }

    /** Completes when the connection of a channel ends. */
    private static CompletableFuture<Void> whenLeft(ManagedChannel channel) {
        CompletableFuture<Void> left = new CompletableFuture<>();
        channel.notifyWhenStateChanged(ConnectivityState.READY, () -> left.complete(null));
        return left;
    }

    /** Connections of other tests, and those that were closed just now, end a moment later. */
    private static void awaitPlace(ManagedChannel channel) {
        // Its own connection may have been closed, without its client's having seen it
        int actions =
                askWhile(
                        failure ->
                                failure instanceof StatusRuntimeException refused
                                        && List.of(
                                                        Status.Code.RESOURCE_EXHAUSTED,
                                                        Status.Code.UNAVAILABLE)
                                                .contains(refused.getStatus().getCode()),
                        () -> listActions(channel));
        assertThat(actions).isPositive();
    }

    private static int listActions(ManagedChannel channel) {
        Metadata headers = new Metadata();
        headers.put(
                AuthenticationInterceptor.AUTHORIZATION,
                TestingSidecar.tokens(TestingSidecar.SECRET).bearer());
        Iterator<ActionType> actions =
                ClientCalls.blockingServerStreamingCall(
                        ClientInterceptors.intercept(
                                channel, MetadataUtils.newAttachHeadersInterceptor(headers)),
                        FlightMethods.LIST_ACTIONS,
                        CallOptions.DEFAULT,
                        Empty.EMPTY);
        int count = 0;
        while (actions.hasNext()) {
            actions.next();
            count++;
        }
        return count;
    }

    private Socket socket() throws IOException {
        Socket socket = new Socket("127.0.0.1", sidecar.server().flightPort());
        socket.setSoTimeout(20_000); // before gRPC would ask whether it is alive
        return socket;
    }

    /** What the server sends until it closes the connection. */
    private static byte[] awaitEnd(Socket socket) throws IOException {
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        try {
            InputStream input = socket.getInputStream();
            for (int read = input.read(); read >= 0; read = input.read()) {
                received.write(read);
            }
        } catch (SocketTimeoutException stillOpen) {
            throw stillOpen;
        } catch (SocketException reset) {
            // Closed with unread bytes
        }
        return received.toByteArray();
    }

    /** Calls of the test before end a moment later, so it may have to ask again. */
    private List<String> schemas() {
        return schemas(sidecar.flight());
    }

    private static List<String> schemas(FlightClient client) {
        return askWhile(
                FlightLimitsIT::isBusy,
                () -> client.action(CatalogActions.LIST_SCHEMAS, Done.DONE).schemaNames());
    }

    private static boolean isBusy(RuntimeException failure) {
        return failure instanceof SteleException busy && busy.code() == ErrorCode.BUSY;
    }

    /** Asks again while the failure passes, for a minute at most. */
    private static <T> T askWhile(Predicate<RuntimeException> passes, Supplier<T> request) {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (true) {
            try {
                return request.get();
            } catch (RuntimeException failure) {
                if (!passes.test(failure) || System.nanoTime() > deadline) {
                    throw failure;
                }
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    @Test
    void handshakeEndsAtItsDeadline() throws Exception {
        ManagedChannel channel = channel();
        try {
            Status end = handshake(channel).ended().get(120, TimeUnit.SECONDS);
            assertThat(end.getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
            assertThat(end.getDescription()).contains("stele.login-timeout");
        } finally {
            channel.shutdownNow();
        }
    }

    @Test
    void handshakeIsSmall() throws Exception {
        ManagedChannel channel = channel();
        try {
            OpenHandshake open = handshake(channel);
            open.requests().onNext(new Handshake(0, new byte[1 << 20]));
            Status end = open.ended().get(120, TimeUnit.SECONDS);
            assertThat(end.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(end.getDescription()).contains("16384 bytes");
        } finally {
            channel.shutdownNow();
        }
    }

    private ManagedChannel channel() {
        return NettyChannelBuilder.forAddress("127.0.0.1", sidecar.server().flightPort())
                .usePlaintext()
                .build();
    }

    private static OpenHandshake handshake(ManagedChannel channel) {
        CompletableFuture<Status> ended = new CompletableFuture<>();
        StreamObserver<Handshake> requests =
                ClientCalls.asyncBidiStreamingCall(
                        channel.newCall(FlightMethods.HANDSHAKE, CallOptions.DEFAULT),
                        new StreamObserver<>() {
                            @Override
                            public void onNext(Handshake reply) {}

                            @Override
                            public void onError(Throwable failure) {
                                ended.complete(Status.fromThrowable(failure));
                            }

                            @Override
                            public void onCompleted() {
                                ended.complete(Status.OK);
                            }
                        });
        return new OpenHandshake(requests, ended);
    }

    /** The framed port of the same sidecar has places for two connections. */
    @Test
    void silentConnectionsLeaveClientsTheirPlaces() throws Exception {
        List<Socket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 200; i++) {
                silent.add(new Socket("127.0.0.1", sidecar.server().clientPort()));
            }
            try (Socket socket = new Socket("127.0.0.1", sidecar.server().clientPort())) {
                FrameWriter writer = new FrameWriter(socket.getOutputStream());
                String token = TestingSidecar.tokens(TestingSidecar.SECRET).token();
                writer.write(
                        FrameType.HELLO,
                        0,
                        new Hello(WireLimits.VERSION, token, "test", Optional.empty()).encode());
                writer.flush();
                Frame reply =
                        new FrameReader(socket.getInputStream(), WireLimits.MAX_FRAME_BYTES).read();
                assertThat(reply).extracting(Frame::type).isEqualTo(FrameType.HELLO_REPLY);
            }
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    @Test
    void allRowsReachAReader() {
        long rows = 0;
        for (int shard = 0; shard < orders.shardCount(); shard++) {
            try (Opened opened = awaitFree(shard)) {
                FlightStream stream = opened.stream();
                ArrowBatchDecoder decoder =
                        ArrowBatchDecoder.forSchema(opened.schema().dataHeader());
                for (Optional<FlightData> data = stream.next();
                        data.isPresent();
                        data = stream.next()) {
                    assertThat(data.get().bodySizeBytes()).isLessThan(256 << 10);
                    rows +=
                            decoder.decode(data.get().dataHeader(), data.get().bodyBuffer())
                                    .rowCount();
                }
            }
        }
        assertThat(rows).isEqualTo(ROWS);
    }

    @Test
    void readerThatTakesNothingIsCutOff() throws Exception {
        try (Opened opened = awaitFree(0)) {
            // This reader takes nothing until the sidecar has given it up.
            long deadline = System.nanoTime() + 60_000_000_000L;
            while (openStreams() > 0) {
                assertThat(System.nanoTime()).isLessThan(deadline);
            }
            assertThatThrownBy(() -> readAll(opened.stream()))
                    .hasMessageContaining("stele.flight.stalled-stream-timeout")
                    .extracting(failure -> ((SteleException) failure).code())
                    .isEqualTo(ErrorCode.UNAVAILABLE);
        }
    }

    private static int readAll(FlightStream stream) {
        int messages = 0;
        while (stream.next().isPresent()) {
            messages++;
        }
        return messages;
    }

    @Test
    void messageBeyondTheLimitIsRefused() {
        List<ArrowField> fields = ArrowSchemas.fields(orders.columns());
        ArrowMessage batch = batch(fields, 0, 5, 1 << 20);
        assertThatThrownBy(
                        () -> {
                            try (FlightPut put = sidecar.flight().put()) {
                                put.sendSchema(
                                        FlightDescriptor.path("shop", "orders"),
                                        FlightData.schema(
                                                ByteBuffer.wrap(ArrowSchemas.toMessage(fields))));
                                put.sendBatch(FlightData.of(batch.header(), batch.body()));
                                put.finish();
                            }
                        })
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("4194304")
                .extracting(failure -> ((SteleException) failure).code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    /**
     * Opens a scan; calls that another test has cancelled end a moment later, so it may have to ask
     * again.
     */
    private Opened awaitFree(int shard) {
        return askWhile(
                FlightLimitsIT::isBusy,
                () -> {
                    FlightStream stream = scan(shard);
                    return new Opened(stream, stream.next().orElseThrow());
                });
    }

    private long openStreams() throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpRequest request =
                    HttpRequest.newBuilder(sidecar.server().httpUri().resolve("/v1/status"))
                            .header(
                                    "Authorization",
                                    TestingSidecar.tokens(TestingSidecar.SECRET).bearer())
                            .build();
            return new ObjectMapper()
                    .readTree(http.send(request, BodyHandlers.ofString()).body())
                    .at("/endpoints/flightStreams")
                    .asLong();
        }
    }

    private record OpenHandshake(
            StreamObserver<Handshake> requests, CompletableFuture<Status> ended) {}

    private record Opened(FlightStream stream, FlightData schema) implements AutoCloseable {
        @Override
        public void close() {
            stream.close();
        }
    }
}
