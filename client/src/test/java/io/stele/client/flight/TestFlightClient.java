package io.stele.client.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.auth.TokenSource;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.Action;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.catalog.ListSchemasReply;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.api.write.PutReply;
import io.stele.protocol.api.write.PutTarget;
import io.stele.protocol.flight.ActionType;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.FlightDescriptor;
import io.stele.protocol.flight.FlightInfo;
import io.stele.protocol.flight.Ticket;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class TestFlightClient {
    private TestingFlightService service;
    private FlightClient client;

    @BeforeEach
    void setUp() throws IOException {
        service = new TestingFlightService();
        client = client(service.port(), TestingFlightService.SECRET);
    }

    @AfterEach
    void tearDown() {
        client.close();
        service.close();
    }

    @Test
    void testActions() {
        ListSchemasReply request = new ListSchemasReply(List.of("ä", "b"));
        assertThat(
                        client.action(
                                Action.of("echo", ListSchemasReply.class, ListSchemasReply.class),
                                request))
                .isEqualTo(request);
        assertThat(client.listActions()).containsExactly(new ActionType("echo", "says it again"));
        assertThatThrownBy(() -> run("nothing"))
                .hasMessageContaining("one result of action nothing");
    }

    private Done run(String action) {
        return client.action(Action.of(action, Done.class, Done.class), Done.DONE);
    }

    @Test
    void testFailuresKeepCodeAndMessage() throws Exception {
        assertThatThrownBy(() -> run("fail"))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.TABLE_ALREADY_EXISTS))
                .hasMessage("Table s.t is there: ä");
        assertThatThrownBy(() -> client.schema(FlightDescriptor.path("s", "t")))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
        try (FlightClient stranger = client(service.port(), "another secret, just as long")) {
            assertThatThrownBy(stranger::listActions)
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED));
        }
        int away;
        try (ServerSocket unused = new ServerSocket(0)) {
            away = unused.getLocalPort();
        }
        try (FlightClient lost = client(away, TestingFlightService.SECRET)) {
            assertThatThrownBy(lost::listActions)
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                    .hasMessageContaining("127.0.0.1:" + away);
        }
    }

    /** A channel that was refused waits before it tries again: the longer, the more often. */
    @Test
    void aClientConnectsWhenItIsTold() throws Exception {
        int port = service.port();
        service.close();
        assertThatThrownBy(client::listActions).isInstanceOf(SteleException.class);
        assertThatThrownBy(() -> client.connect(Duration.ofSeconds(20)))
                .hasMessageContaining("Expected a connection to 127.0.0.1:" + port);
        assertThat(client.isBackingOff()).isTrue();
        service = new TestingFlightService(port);
        client.connect(Duration.ofSeconds(20));
        assertThat(client.isBackingOff()).isFalse();
        assertThat(client.listActions()).hasSize(1);
        client.close();
        assertThatThrownBy(() -> client.connect(Duration.ofSeconds(20)))
                .hasMessageContaining("SHUTDOWN");
    }

    /** However far away its next attempt is, which after minutes is minutes. */
    @Test
    void aClientThatWasIdleForLongConnectsWhenItIsTold() throws Exception {
        int port = service.port();
        int nobody;
        try (ServerSocket unused = new ServerSocket(0)) {
            nobody = unused.getLocalPort();
        }
        try (FlightClient idle =
                new FlightClient(
                        "idle",
                        new LongBackoffChannel(
                                FlightClient.channel("127.0.0.1", port, Optional.empty()),
                                FlightClient.channel("127.0.0.1", nobody, Optional.empty())),
                        new TokenSource(TestingFlightService.SECRET, Clock.systemUTC(), "test"))) {
            assertThat(idle.listActions()).hasSize(1);
            service.close();
            assertThatThrownBy(idle::listActions).isInstanceOf(SteleException.class);
            assertThatThrownBy(() -> idle.connect(Duration.ofSeconds(20)))
                    .hasMessageContaining("Expected a connection to idle");
            assertThat(idle.isBackingOff()).isTrue();
            service = new TestingFlightService(port);
            idle.connect(Duration.ofSeconds(20));
            assertThat(idle.listActions()).hasSize(1);
        }
    }

    @Test
    void testInfo() {
        FlightInfo info = client.info(FlightDescriptor.path("s", "t"));
        assertThat(info.descriptor().orElseThrow().path()).containsExactly("s", "t");
        assertThat(info.endpoints().get(0).ticket().bytes()).containsExactly(2);
        assertThat(info.endpoints().get(0).locations()).containsExactly("grpc+tcp://127.0.0.1:1");
        assertThat(info.totalRecords()).isEqualTo(-1);
        assertThat(info.totalBytes()).isEqualTo(7);
        assertThat(info.ordered()).isTrue();
        assertThat(info.appMetadata()).containsExactly(3);
    }

    @Test
    void testStreamsAreInOrderAndNotReadAhead() {
        int count = 400;
        int size = 256 << 10;
        try (FlightStream stream = client.get(ticket(count + "," + size))) {
            FlightData first = stream.next().orElseThrow();
            assertThat(first.dataHeader().get(0)).isEqualTo((byte) 9);
            assertThat(first.bodyBuffer().getInt(0)).isZero();
            for (int i = 1; i < count; i++) {
                FlightData next = stream.next().orElseThrow();
                assertThat(next.bodySizeBytes()).isEqualTo(size);
                assertThat(next.bodyBuffer().getInt(0)).isEqualTo(i);
                assertThat(service.sent()).isLessThan(i + 50);
            }
            assertThat(stream.next()).isEmpty();
            assertThat(stream.isFinished()).isTrue();
        }
    }

    @Test
    void testStreamsFailBehindWhatCame() {
        try (FlightStream stream = client.get(ticket("3,8,fail"))) {
            for (int i = 0; i < 3; i++) {
                assertThat(stream.next()).isPresent();
            }
            assertThatThrownBy(stream::next)
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.SNAPSHOT_EXPIRED));
            assertThat(stream.isFinished()).isFalse();
        }
    }

    @Test
    void testClosingAStreamEndsIt() throws Exception {
        FlightStream stream = client.get(ticket("1000000,65536"));
        assertThat(stream.next()).isPresent();
        stream.close();
        stream.whenReady().get();
        assertThatThrownBy(
                        () -> {
                            while (stream.next().isPresent()) {
                                // until the cancellation shows
                            }
                        })
                .isInstanceOf(SteleException.class);
    }

    @Test
    void testPuts() throws Exception {
        PutTarget target = PutTarget.of(new TableName("s", "t"), PutMode.APPEND);
        List<CompletableFuture<PutReply>> replies = new ArrayList<>();
        try (FlightPut put = client.put()) {
            put.sendSchema(
                    FlightDescriptor.command(ApiJson.write(target)),
                    FlightData.schema(ByteBuffer.wrap(new byte[] {1})));
            for (int i = 0; i < 100; i++) {
                ByteBuffer one = ByteBuffer.wrap(new byte[10_000]);
                ByteBuffer two = ByteBuffer.allocateDirect(200_000).putInt(0, i);
                replies.add(
                        put.sendBatch(
                                FlightData.of(ByteBuffer.wrap(new byte[] {2}), List.of(one, two))));
            }
            put.finish();
        }
        for (int i = 0; i < 100; i++) {
            assertThat(replies.get(i).get().sequence()).isEqualTo(i);
            FlightData received = service.batches().get(i);
            assertThat(received.bodySizeBytes()).isEqualTo(210_000);
            assertThat(received.bodyBuffer().getInt(10_000)).isEqualTo(i);
        }
        assertThat(service.targets()).containsExactly(target);
    }

    @Test
    void severalPutsEndSideBySide() throws Exception {
        service.endTogether(2);
        PutTarget target = PutTarget.of(new TableName("s", "t"), PutMode.APPEND);
        try (FlightPut one = client.put();
                FlightPut two = client.put()) {
            List<CompletableFuture<PutReply>> replies = new ArrayList<>();
            for (FlightPut put : List.of(one, two)) {
                put.sendSchema(
                        FlightDescriptor.command(ApiJson.write(target)),
                        FlightData.schema(ByteBuffer.wrap(new byte[] {1})));
                replies.add(
                        put.sendBatch(FlightData.of(ByteBuffer.wrap(new byte[] {2}), List.of())));
                put.end();
            }
            one.finish();
            two.finish();
            assertThat(replies).allMatch(CompletableFuture::isDone);
        }
    }

    @Test
    void testPutsFailWithTheServiceAndTheirBatches() {
        service.breakAfter(sequence -> sequence == 1);
        PutTarget target = PutTarget.of(new TableName("s", "t"), PutMode.APPEND);
        try (FlightPut put = client.put()) {
            put.sendSchema(
                    FlightDescriptor.command(ApiJson.write(target)),
                    FlightData.schema(ByteBuffer.wrap(new byte[] {1})));
            FlightData batch = FlightData.of(ByteBuffer.wrap(new byte[] {2}), List.of());
            assertThat(put.sendBatch(batch).join().sequence()).isZero();
            assertThatThrownBy(() -> put.sendBatch(batch).join())
                    .hasCauseInstanceOf(SteleException.class);
            assertThatThrownBy(() -> put.sendBatch(batch)).isInstanceOf(SteleException.class);
            assertThatThrownBy(put::finish).isInstanceOf(SteleException.class);
        }
    }

    private static Ticket ticket(String text) {
        return new Ticket(text.getBytes(StandardCharsets.UTF_8));
    }

    private static FlightClient client(int port, String secret) {
        return new FlightClient(
                "127.0.0.1",
                port,
                Optional.empty(),
                new TokenSource(secret, Clock.systemUTC(), "test"));
    }
}
