package io.stele.sidecar.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.ActionClient;
import io.stele.client.Endpoint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.Action;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.MetadataVersion;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.scan.CachedPlan;
import io.stele.protocol.api.scan.TablePlan;
import io.stele.protocol.api.snapshot.OpenSnapshotRequest;
import io.stele.protocol.api.snapshot.OpenTableReply;
import io.stele.protocol.api.snapshot.OpenTableRequest;
import io.stele.protocol.api.snapshot.RenewSnapshotRequest;
import io.stele.protocol.api.snapshot.SnapshotActions;
import io.stele.protocol.api.snapshot.SnapshotReply;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import io.stele.testing.FreePorts;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Actions over the framed protocol, from a real sidecar. */
final class ActionClientIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final TableRequest ORDERS = TableRequest.of("shop", "orders");

    @Test
    void queriesOpenWhatTheyReadBySocketsOfTheirOwn(@TempDir Path directory) throws Exception {
        int port = FreePorts.find();
        Map<String, String> samePort = Map.of("stele.client.port", Integer.toString(port));
        TableSchema orders;
        try (TestingSidecar sidecar = TestingSidecar.start(directory, samePort);
                ActionClient actions = client(sidecar, TestingSidecar.SECRET)) {
            orders = sidecar.createTable(SampleTables.orders(Orientation.ROW)).schema();
            OpenTableReply opened = open(actions).orElseThrow();
            assertThat(opened.relation().table().orElseThrow().schema()).isEqualTo(orders);
            SnapshotReply snapshot = opened.snapshot().orElseThrow();
            assertThat(sidecar.flight().action(SnapshotActions.OPEN_SNAPSHOT, snapshot()).lsn())
                    .isGreaterThanOrEqualTo(snapshot.lsn());

            assertThat(actions.run(CatalogActions.LIST_SCHEMAS, Done.DONE)).isEmpty();
            assertThatThrownBy(
                            () ->
                                    actions.run(
                                            Action.framed(
                                                    CatalogActions.LIST_SCHEMAS.name(),
                                                    Done.class,
                                                    Done.class),
                                            Done.DONE))
                    .hasMessageContaining("Expected an action of")
                    .hasMessageContaining("found 'list-schemas'");
            assertThatThrownBy(
                            () ->
                                    actions.run(
                                            SnapshotActions.OPEN_SNAPSHOT,
                                            new OpenSnapshotRequest(
                                                    List.of(),
                                                    Optional.empty(),
                                                    Long.MAX_VALUE,
                                                    Optional.empty())))
                    .hasMessageContaining("Expected ttlMillis of at most");
            // The socket of a refusal goes on
            assertThat(open(actions)).isPresent();
            manyAtOnce(actions);
        }
        // A sidecar that comes back knows no earlier socket
        try (TestingSidecar sidecar = TestingSidecar.start(directory, samePort);
                ActionClient actions = client(sidecar, TestingSidecar.SECRET)) {
            assertThat(open(actions)).isPresent();
        }
    }

    @Test
    void tablesAreOpenedByFramesAsByTheActionInJson(@TempDir Path directory) throws Exception {
        try (TestingSidecar sidecar = TestingSidecar.start(directory);
                ActionClient actions = client(sidecar, TestingSidecar.SECRET)) {
            TableSchema orders =
                    sidecar.createTable(SampleTables.orders(Orientation.COLUMN)).schema();
            Optional<List<CachedPlan>> plans =
                    Optional.of(
                            List.of(
                                    new CachedPlan(
                                            orders.id(),
                                            orders.schemaVersion(),
                                            Optional.empty(),
                                            TablePlan.MAX_CELLS)));
            OpenTableReply json = open(actions, first(plans)).orElseThrow();
            OpenTableReply frames = actions.openTable(first(plans)).orElseThrow();
            assertThat(frames.relation().table().orElseThrow().schema()).isEqualTo(orders);
            assertThat(frames.changes()).isEqualTo(json.changes()).isPresent();
            assertThat(frames.plans().orElseThrow())
                    .hasSize(1)
                    .allSatisfy(plan -> assertThat(plan.shards()).isPresent());
            assertThat(ApiJson.write(frames.plans())).isEqualTo(ApiJson.write(json.plans()));

            // What the caller has is not said again
            OpenTableReply again =
                    actions.openTable(
                                    new OpenTableRequest(
                                            ORDERS,
                                            60_000,
                                            Optional.of(json.snapshot().orElseThrow().lsn()),
                                            Optional.of(json.changes().orElseThrow().version()),
                                            Optional.of(true),
                                            Optional.of(
                                                    List.of(
                                                            json.snapshot()
                                                                    .orElseThrow()
                                                                    .snapshotId())),
                                            Optional.of(
                                                    List.of(
                                                            new CachedPlan(
                                                                    orders.id(),
                                                                    orders.schemaVersion(),
                                                                    json.plans()
                                                                            .orElseThrow()
                                                                            .getFirst()
                                                                            .token(),
                                                                    TablePlan.MAX_CELLS)))))
                            .orElseThrow();
            assertThat(again.relation().table()).isEmpty();
            assertThat(again.changes().orElseThrow().relations()).isEmpty();
            assertThat(again.plans().orElseThrow())
                    .hasSize(1)
                    .allSatisfy(plan -> assertThat(plan.shards()).isEmpty());
            // Told to be ended, it was
            assertThatThrownBy(
                            () ->
                                    sidecar.flight()
                                            .action(
                                                    SnapshotActions.RENEW_SNAPSHOT,
                                                    new RenewSnapshotRequest(
                                                            json.snapshot()
                                                                    .orElseThrow()
                                                                    .snapshotId(),
                                                            60_000)))
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.SNAPSHOT_EXPIRED));

            assertThatThrownBy(
                            () ->
                                    actions.openTable(
                                            new OpenTableRequest(
                                                    ORDERS, Long.MAX_VALUE, Optional.empty())))
                    .hasMessageContaining("Expected ttlMillis of at most");
            OpenTableReply nothing =
                    actions.openTable(
                                    new OpenTableRequest(
                                            TableRequest.of("shop", "no"),
                                            60_000,
                                            Optional.empty()))
                            .orElseThrow();
            assertThat(nothing.snapshot()).isEmpty();
        }
    }

    @Test
    void aKeptSocketThatDiedIsReplaced(@TempDir Path directory) throws Exception {
        Map<String, String> samePort =
                Map.of("stele.client.port", Integer.toString(FreePorts.find()));
        ActionClient actions;
        try (TestingSidecar sidecar = TestingSidecar.start(directory, samePort)) {
            sidecar.createTable(SampleTables.orders(Orientation.ROW));
            actions = client(sidecar, TestingSidecar.SECRET);
            assertThat(open(actions)).isPresent();
        }
        try (actions) {
            assertThatThrownBy(() -> open(actions))
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                    .hasMessageContaining("Cannot reach the sidecar at 127.0.0.1:");
            try (TestingSidecar again = TestingSidecar.start(directory, samePort)) {
                assertThat(open(actions)).isPresent();
            }
        }
    }

    @Test
    void wrongSecretsAndSilentSidecarsAreTold(@TempDir Path directory) throws Exception {
        try (TestingSidecar sidecar = TestingSidecar.start(directory);
                ActionClient actions = client(sidecar, "another secret of tests")) {
            assertThatThrownBy(() -> open(actions))
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED));
        }
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ActionClient actions =
                        new ActionClient(
                                new Endpoint("127.0.0.1", silent.getLocalPort()),
                                Optional.empty(),
                                TestingSidecar.tokens(TestingSidecar.SECRET),
                                "test",
                                Duration.ofMillis(50))) {
            assertThatThrownBy(() -> open(actions))
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
        }
    }

    /** More than there are sockets: who gets none is told at once, the others are answered. */
    private static void manyAtOnce(ActionClient actions) throws Exception {
        OpenTableRequest request = new OpenTableRequest(ORDERS, 60_000, Optional.empty());
        try (ExecutorService threads = Executors.newFixedThreadPool(64)) {
            List<Future<Optional<OpenTableReply>>> asked = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                asked.add(threads.submit(() -> actions.openTable(request)));
            }
            long answered = 0;
            for (Future<Optional<OpenTableReply>> one : asked) {
                Optional<OpenTableReply> reply = one.get();
                assertThat(reply.stream())
                        .allSatisfy(found -> assertThat(found.snapshot()).isPresent());
                answered += reply.stream().count();
            }
            assertThat(answered).isPositive();
        }
    }

    private static ActionClient client(TestingSidecar sidecar, String secret) {
        return new ActionClient(
                new Endpoint("127.0.0.1", sidecar.server().clientPort()),
                Optional.empty(),
                TestingSidecar.tokens(secret),
                "test",
                TIMEOUT);
    }

    /** Of a caller that knows nothing but which plans it wants. */
    private static OpenTableRequest first(Optional<List<CachedPlan>> plans) {
        return new OpenTableRequest(
                ORDERS,
                60_000,
                Optional.empty(),
                Optional.of(new MetadataVersion(0, -1, -1)),
                Optional.of(false),
                Optional.empty(),
                plans);
    }

    private static Optional<OpenTableReply> open(ActionClient actions) {
        return open(actions, new OpenTableRequest(ORDERS, 60_000, Optional.empty()));
    }

    private static Optional<OpenTableReply> open(ActionClient actions, OpenTableRequest request) {
        return actions.run(SnapshotActions.OPEN_TABLE, request);
    }

    private static OpenSnapshotRequest snapshot() {
        return new OpenSnapshotRequest(List.of(), Optional.empty(), 60_000, Optional.empty());
    }
}
