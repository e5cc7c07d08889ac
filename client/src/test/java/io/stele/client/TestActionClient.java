package io.stele.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.auth.TokenSource;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.Action;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.catalog.RelationReply;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.snapshot.OpenTableReply;
import io.stele.protocol.api.snapshot.OpenTableRequest;
import io.stele.protocol.api.snapshot.SnapshotReply;
import io.stele.protocol.wire.ActionCall;
import io.stele.protocol.wire.ErrorReply;
import io.stele.protocol.wire.Frame;
import io.stele.protocol.wire.FrameReader;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.FrameWriter;
import io.stele.protocol.wire.HelloReply;
import io.stele.protocol.wire.OpenTable;
import io.stele.protocol.wire.OpenTableResult;
import io.stele.protocol.wire.WireLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Clock;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against peers that do not always answer as a sidecar does. */
final class TestActionClient {
    private static final byte[] DONE = "{}".getBytes(UTF_8);
    private static final Action<String, Done> WRITE =
            Action.ofTransaction("fine", String.class, Done.class);

    private static final OpenTableRequest REQUEST =
            new OpenTableRequest(
                    TableRequest.of("shop", "orders"),
                    1_000,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(true),
                    Optional.empty(),
                    Optional.empty());
    private static final OpenTableReply REPLY =
            new OpenTableReply(
                    new RelationReply(Optional.empty(), Optional.empty()),
                    Optional.of(new SnapshotReply("snapshot", new Lsn(7), 1_000)),
                    Optional.empty(),
                    Optional.of(List.of()));

    private final List<FrameType> asked = new CopyOnWriteArrayList<>();
    private volatile int peerVersion = WireLimits.VERSION;
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();
    private ServerSocket peer;
    private ActionClient actions;

    @BeforeEach
    void start() throws IOException {
        peer = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        start(this::accept);
        actions = client();
    }

    private ActionClient client() {
        return client(Duration.ofSeconds(30));
    }

    private ActionClient client(Duration timeout) {
        return new ActionClient(
                new Endpoint("127.0.0.1", peer.getLocalPort()),
                Optional.empty(),
                new TokenSource("the secret of the tests", Clock.systemUTC(), "test"),
                "test",
                timeout);
    }

    @AfterEach
    void stop() throws IOException {
        actions.close();
        peer.close();
    }

    @Test
    void socketsAreKeptAfterAnswersAndRefusals() {
        assertThat(run("fine")).contains(Done.DONE);
        assertThatThrownBy(() -> run("refused"))
                .isInstanceOfSatisfying(
                        SteleException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
        assertThat(run("fine")).contains(Done.DONE);
        assertThat(connections).hasValue(1);
        assertThat(actions.losses()).isZero();
    }

    @Test
    void whatIsNoAnswerIsAskedOnceMoreAndItsSocketNotKept() {
        long losses = 0;
        for (String nonsense : new String[] {"malformed", "malformed-error", "another", "closed"}) {
            assertThat(run("fine")).contains(Done.DONE);
            int before = connections.get();
            calls.set(0);
            assertThatThrownBy(() -> run(nonsense))
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
            assertThat(calls).as(nonsense).hasValue(2);
            assertThat(run("fine")).contains(Done.DONE);
            assertThat(connections).as(nonsense).hasValue(before + 2);
            assertThat(actions.losses()).as(nonsense).isEqualTo(++losses);
        }
    }

    @Test
    void whoIsLateIsNotAskedAgain() {
        assertThat(run("fine")).as("what is slow once").contains(Done.DONE);
        try (ActionClient impatient = client(Duration.ofSeconds(5))) {
            assertThat(run(impatient, "fine")).contains(Done.DONE);
            calls.set(0);
            assertThatThrownBy(() -> run(impatient, "silent"))
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
            assertThat(impatient.losses()).isZero();
        }
        assertThat(calls).hasValue(1);
    }

    @Test
    void tablesAreOpenedInTheBytesOfTheVersionThatThePeerSpeaks() {
        for (int version = WireLimits.MIN_VERSION; version <= WireLimits.VERSION; version++) {
            peerVersion = version;
            try (ActionClient client = client()) {
                assertThat(client.openTable(REQUEST)).contains(REPLY);
                assertThat(client.openTable(REQUEST)).contains(REPLY);
            }
            assertThat(asked)
                    .as("version %s", version)
                    .containsExactlyElementsOf(
                            Collections.nCopies(
                                    2, version == 1 ? FrameType.ACTION : FrameType.OPEN_TABLE));
            asked.clear();
        }
        peerVersion = WireLimits.VERSION + 1;
        try (ActionClient client = client()) {
            assertThatThrownBy(() -> client.openTable(REQUEST))
                    .isInstanceOf(SteleException.class)
                    .hasMessageContaining("a version from 1 to 6, found 7");
        }
    }

    @Test
    void transactionsGoAnotherWayWhereThePeerIsOfBeforeOrTheRequestIsLong() {
        for (int version = WireLimits.MIN_VERSION; version <= WireLimits.VERSION; version++) {
            peerVersion = version;
            try (ActionClient client = client()) {
                Optional<Done> reply = client.run(WRITE, "");
                assertThat(reply.isPresent()).as("version %s", version).isEqualTo(version >= 3);
                assertThat(run(client, "fine")).contains(Done.DONE);
            }
        }
        assertThat(actions.run(WRITE, "x".repeat(70_000))).isEmpty();
        assertThat(actions.run(WRITE, "x".repeat(60_000))).contains(Done.DONE);
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
    }

    private Optional<Done> run(String action) {
        return run(actions, action);
    }

    private static Optional<Done> run(ActionClient client, String action) {
        return client.run(Action.framed(action, Done.class, Done.class), Done.DONE);
    }

    private void accept() {
        while (!peer.isClosed()) {
            try {
                Socket socket = peer.accept();
                start(() -> serve(socket));
            } catch (IOException e) {
                // closed
            }
        }
    }

    private void serve(Socket client) {
        try (Socket socket = client) {
            FrameReader reader =
                    new FrameReader(socket.getInputStream(), WireLimits.MAX_FRAME_BYTES);
            FrameWriter writer = new FrameWriter(socket.getOutputStream());
            for (Frame frame = reader.read(); frame != null; frame = reader.read()) {
                if (frame.type() == FrameType.HELLO) {
                    connections.incrementAndGet();
                    writer.write(
                            FrameType.HELLO_REPLY,
                            frame.requestId(),
                            new HelloReply(peerVersion, "peer", 1 << 20, 10, 10).encode());
                } else if (!answer(frame, socket, writer)) {
                    return;
                }
                writer.flush();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean answer(Frame frame, Socket socket, FrameWriter writer) throws IOException {
        calls.incrementAndGet();
        int id = frame.requestId();
        if (frame.type() == FrameType.OPEN_TABLE) {
            assertThat(OpenTable.decode(frame)).isEqualTo(REQUEST);
            asked.add(frame.type());
            writer.write(
                    FrameType.OPEN_TABLE_REPLY, id, OpenTableResult.encode(REPLY, peerVersion));
            return true;
        }
        ActionCall call = ActionCall.decode(frame);
        switch (call.type()) {
            case "open-table" -> {
                assertThat(ApiJson.read(call.request(), OpenTableRequest.class)).isEqualTo(REQUEST);
                asked.add(frame.type());
                writer.write(FrameType.ACTION_REPLY, id, ApiJson.write(REPLY));
            }
            case "fine" -> writer.write(FrameType.ACTION_REPLY, id, DONE);
            case "refused" ->
                    writer.write(
                            FrameType.ERROR,
                            id,
                            new ErrorReply(ErrorCode.BUSY, "Come back later").encode());
            case "malformed" -> socket.getOutputStream().write(new byte[20]);
            case "malformed-error" -> writer.write(FrameType.ERROR, id, new byte[] {9});
            case "another" -> writer.write(FrameType.ACTION_REPLY, id + 1, DONE);
            case "silent" -> {}
            default -> {
                return false;
            }
        }
        return true;
    }
}
