package io.stele.sidecar.flight;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateSchemaRequest;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.catalog.ListTablesReply;
import io.stele.protocol.api.catalog.ListTablesRequest;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.stele.protocol.api.scan.ScanActions;
import io.stele.protocol.api.snapshot.OpenSnapshotRequest;
import io.stele.protocol.api.snapshot.SnapshotActions;
import io.stele.protocol.api.snapshot.SnapshotReply;
import io.stele.protocol.api.status.StatusActions;
import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.api.write.PutReply;
import io.stele.protocol.api.write.PutTarget;
import io.stele.protocol.api.write.WriteActions;
import io.stele.protocol.schema.Orientation;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import io.stele.sidecar.flight.sql.SqlActions;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.Criteria;
import org.apache.arrow.flight.FlightCallHeaders;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightClient.ClientStreamListener;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.HeaderCallOption;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.SyncPutListener;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeStampMicroVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Arrow's own Flight client against the sidecar: what works here works from Python, Go and the
 * rest.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FlightInteropIT {
    private final BufferAllocator allocator = new RootAllocator();
    private TestingSidecar sidecar;
    private FlightClient client;
    private CredentialCallOption credential;

    @BeforeAll
    void start(@TempDir Path directory) {
        sidecar = TestingSidecar.start(directory);
        client =
                FlightClient.builder(
                                allocator,
                                Location.forGrpcInsecure(
                                        "127.0.0.1", sidecar.server().flightPort()))
                        .build();
        credential = client.authenticateBasicToken("anyone", TestingSidecar.SECRET).orElseThrow();
        action(CatalogActions.CREATE_SCHEMA, new CreateSchemaRequest("shop", true));
        action(
                CatalogActions.CREATE_TABLE,
                new CreateTableRequest(SampleTables.orders(Orientation.COLUMN), "", false, false));
        action(
                CatalogActions.CREATE_TABLE,
                new CreateTableRequest(SampleTables.events(), "", false, false));
    }

    @AfterAll
    void stop() throws Exception {
        client.close();
        allocator.close();
        sidecar.close();
    }

    @Test
    void handshakeWithTheWrongSecretIsRefused() throws Exception {
        try (FlightClient stranger =
                FlightClient.builder(
                                allocator,
                                Location.forGrpcInsecure(
                                        "127.0.0.1", sidecar.server().flightPort()))
                        .build()) {
            assertThatThrownBy(() -> stranger.authenticateBasicToken("anyone", "wrong"))
                    .isInstanceOf(FlightRuntimeException.class)
                    .satisfies(
                            failure ->
                                    assertThat(status(failure))
                                            .isEqualTo(FlightStatusCode.UNAUTHENTICATED));
        }
    }

    @Test
    void nothingIsAnsweredWithoutCredentials() throws Exception {
        try (FlightClient stranger =
                FlightClient.builder(
                                allocator,
                                Location.forGrpcInsecure(
                                        "127.0.0.1", sidecar.server().flightPort()))
                        .build()) {
            List<Runnable> calls =
                    List.of(
                            () -> stranger.listFlights(Criteria.ALL).forEach(info -> {}),
                            () -> stranger.getInfo(FlightDescriptor.path("shop", "orders")),
                            () -> stranger.getSchema(FlightDescriptor.path("shop", "orders")),
                            () -> stranger.listActions().forEach(type -> {}),
                            () ->
                                    stranger.doAction(
                                                    new Action(CatalogActions.LIST_SCHEMAS.name()))
                                            .forEachRemaining(result -> {}),
                            () ->
                                    stranger.getStream(
                                                    new org.apache.arrow.flight.Ticket(new byte[0]))
                                            .getSchema());
            for (Runnable call : calls) {
                assertThatThrownBy(call::run)
                        .satisfies(
                                failure ->
                                        assertThat(status(failure))
                                                .isEqualTo(FlightStatusCode.UNAUTHENTICATED));
            }
        }
    }

    private static List<String> allActions() throws IllegalAccessException {
        List<String> names = new ArrayList<>();
        for (Class<?> topic :
                List.of(
                        CatalogActions.class,
                        MaintenanceActions.class,
                        ScanActions.class,
                        SnapshotActions.class,
                        StatusActions.class,
                        WriteActions.class)) {
            for (Field constant : topic.getFields()) {
                names.add(((io.stele.protocol.api.Action<?, ?>) constant.get(null)).name());
            }
        }
        return names;
    }

    @Test
    void actionsAreListedAndAnswered() throws IllegalAccessException {
        List<String> types = new ArrayList<>();
        client.listActions(credential).forEach(type -> types.add(type.getType()));
        List<String> expected = new ArrayList<>(allActions());
        expected.addAll(SqlActions.descriptions().keySet());
        assertThat(types).containsExactlyInAnyOrderElementsOf(expected);
        ListTablesReply tables =
                ApiJson.read(
                        action(
                                CatalogActions.LIST_TABLES,
                                new ListTablesRequest(Optional.of("shop"))),
                        ListTablesReply.class);
        assertThat(tables.tables()).extracting(TableName::tableName).contains("events", "orders");
        assertThatThrownBy(() -> client.doAction(new Action("fly"), credential).next())
                .satisfies(
                        failure ->
                                assertThat(status(failure))
                                        .isEqualTo(FlightStatusCode.INVALID_ARGUMENT))
                .hasMessageContaining("fly");
        assertThatThrownBy(
                        () ->
                                client.doAction(
                                                new Action(
                                                        CatalogActions.CREATE_SCHEMA.name(),
                                                        "{".getBytes(UTF_8)),
                                                credential)
                                        .next())
                .satisfies(
                        failure ->
                                assertThat(status(failure))
                                        .isEqualTo(FlightStatusCode.INVALID_ARGUMENT));
        assertThatThrownBy(
                        () ->
                                action(
                                        CatalogActions.CREATE_SCHEMA,
                                        new CreateSchemaRequest("shop", false)))
                .satisfies(
                        failure ->
                                assertThat(status(failure))
                                        .isEqualTo(FlightStatusCode.ALREADY_EXISTS));
    }

    @Test
    void rowsPutAreTheRowsGot() throws Exception {
        Map<Long, String> expected = new TreeMap<>();
        Schema schema =
                client.getSchema(FlightDescriptor.path("shop", "orders"), credential).getSchema();
        try (VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator);
                SyncPutListener results = new SyncPutListener()) {
            ClientStreamListener put =
                    client.startPut(
                            FlightDescriptor.path("shop", "orders"), root, results, credential);
            for (int batch = 0; batch < 20; batch++) {
                fill(root, batch * 500L, 500, "status ");
                put.putNext();
            }
            put.completed();
            long last = 0;
            for (int batch = 0; batch < 20; batch++) {
                try (PutResult result = results.read()) {
                    PutReply reply = reply(result);
                    assertThat(reply.sequence()).isEqualTo(batch);
                    assertThat(reply.rowCount()).isEqualTo(500);
                    assertThat(reply.lsn().value()).isPositive();
                    last = Math.max(last, reply.lsn().value());
                }
            }
            assertThat(results.read()).isNull();
            put.getResult();
            assertThat(last).isPositive();
        }
        for (long id = 0; id < 10_000; id++) {
            expected.put(id, id % 3 == 0 ? null : "status " + id);
        }
        assertThat(read("orders")).isEqualTo(expected);

        // The same through files: what was flushed is read back by a snapshot as well.
        action(
                MaintenanceActions.FLUSH,
                io.stele.protocol.api.catalog.TableRequest.of("shop", "orders"));
        assertThat(read("orders")).isEqualTo(expected);

        // Deletes name keys only.
        Schema keySchema = new Schema(List.of(schema.findField("id")));
        try (VectorSchemaRoot root = VectorSchemaRoot.create(keySchema, allocator);
                SyncPutListener results = new SyncPutListener()) {
            PutTarget target = PutTarget.of(new TableName("shop", "orders"), PutMode.DELETE);
            ClientStreamListener put =
                    client.startPut(
                            FlightDescriptor.command(ApiJson.write(target)),
                            root,
                            results,
                            credential);
            BigIntVector ids = (BigIntVector) root.getVector("id");
            for (int i = 0; i < 5_000; i++) {
                ids.setSafe(i, i);
                expected.remove((long) i);
            }
            root.setRowCount(5_000);
            put.putNext();
            put.completed();
            put.getResult();
        }
        assertThat(read("orders")).isEqualTo(expected);
    }

    @Test
    void streamSentAgainIsAppliedOnce() throws Exception {
        PutTarget target =
                new PutTarget(
                        Optional.of(new TableName("shop", "events")),
                        Optional.empty(),
                        PutMode.APPEND,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(UUID.randomUUID()),
                        10,
                        Optional.empty());
        List<PutReply> first = putEvents(target);
        List<PutReply> second = putEvents(target);
        assertThat(first)
                .hasSize(8)
                .extracting(PutReply::sequence)
                .containsExactly(10L, 11L, 12L, 13L, 14L, 15L, 16L, 17L);
        assertThat(second).isEqualTo(first);
        assertThat(count("events")).isEqualTo(800);
    }

    private List<PutReply> putEvents(PutTarget target) throws Exception {
        List<PutReply> replies = new ArrayList<>();
        Schema schema =
                client.getSchema(FlightDescriptor.path("shop", "events"), credential).getSchema();
        try (VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator);
                SyncPutListener results = new SyncPutListener()) {
            ClientStreamListener put =
                    client.startPut(
                            FlightDescriptor.command(ApiJson.write(target)),
                            root,
                            results,
                            credential);
            for (int batch = 0; batch < 8; batch++) {
                fill(root, batch * 100L, 100, "event ");
                put.putNext();
            }
            put.completed();
            for (PutResult result = results.read(); result != null; result = results.read()) {
                replies.add(reply(result));
                result.close();
            }
            put.getResult();
        }
        return replies;
    }

    @Test
    void rowsThatDoNotFitAreRefusedByName() throws Exception {
        IntVector unknown = new IntVector("colour", allocator);
        assertPutFails(
                new VectorSchemaRoot(List.of(unknown)),
                "colour",
                FlightStatusCode.INVALID_ARGUMENT);
        VarCharVector text = new VarCharVector("id", allocator);
        text.setSafe(0, "one".getBytes(UTF_8));
        text.setValueCount(1);
        assertPutFails(
                new VectorSchemaRoot(List.of(text)), "id", FlightStatusCode.INVALID_ARGUMENT);
        VarCharVector status = new VarCharVector("status", allocator);
        status.setSafe(0, "no key".getBytes(UTF_8));
        status.setValueCount(1);
        assertPutFails(
                new VectorSchemaRoot(List.of(status)), "id", FlightStatusCode.INVALID_ARGUMENT);
        assertThatThrownBy(
                        () -> client.getInfo(FlightDescriptor.path("shop", "nothing"), credential))
                .satisfies(
                        failure ->
                                assertThat(status(failure)).isEqualTo(FlightStatusCode.NOT_FOUND))
                .hasMessageContaining("shop.nothing");
        assertThatThrownBy(() -> client.getInfo(FlightDescriptor.path("orders"), credential))
                .satisfies(
                        failure ->
                                assertThat(status(failure))
                                        .isEqualTo(FlightStatusCode.INVALID_ARGUMENT));
        assertThatThrownBy(
                        () ->
                                client.getStream(
                                                new org.apache.arrow.flight.Ticket(
                                                        "no ticket".getBytes(UTF_8)),
                                                credential)
                                        .getSchema())
                .satisfies(
                        failure ->
                                assertThat(status(failure))
                                        .isEqualTo(FlightStatusCode.INVALID_ARGUMENT));
    }

    private void assertPutFails(VectorSchemaRoot rows, String named, FlightStatusCode expected)
            throws Exception {
        try (VectorSchemaRoot root = rows;
                SyncPutListener results = new SyncPutListener()) {
            root.setRowCount(1);
            ClientStreamListener put =
                    client.startPut(
                            FlightDescriptor.path("shop", "orders"), root, results, credential);
            put.putNext();
            put.completed();
            assertThatThrownBy(put::getResult)
                    .satisfies(failure -> assertThat(status(failure)).isEqualTo(expected))
                    .hasMessageContaining(named);
        }
    }

    @Test
    void tablesAreListed() {
        List<List<String>> paths = new ArrayList<>();
        for (FlightInfo info :
                client.listFlights(new Criteria("shop".getBytes(UTF_8)), credential)) {
            paths.add(info.getDescriptor().getPath());
            assertThat(info.getSchemaOptional()).isPresent();
        }
        assertThat(paths).contains(List.of("shop", "orders"), List.of("shop", "events"));
    }

    @Test
    void whatIsNoMessageOfFlightSqlIsRefused() {
        String type = "type.googleapis.com/arrow.flight.protocol.sql.CommandNobodyKnows";
        byte[] unknown = ("\n" + (char) type.length() + type).getBytes(ISO_8859_1);
        for (ThrowingCallable call :
                List.<ThrowingCallable>of(
                        () -> client.getInfo(FlightDescriptor.command(unknown), credential),
                        () -> client.getSchema(FlightDescriptor.command(unknown), credential),
                        () ->
                                client.getStream(
                                                new org.apache.arrow.flight.Ticket(unknown),
                                                credential)
                                        .next())) {
            assertThatThrownBy(call)
                    .hasMessageContaining("Expected a command of Flight SQL that Stele has")
                    .hasMessageContaining("CommandNobodyKnows");
        }
    }

    @Test
    void aHeaderSaysWhatMustBeSeen() throws Exception {
        SnapshotReply present =
                ApiJson.read(
                        action(
                                SnapshotActions.OPEN_SNAPSHOT,
                                new OpenSnapshotRequest(List.of(), Optional.empty(), 1_000)),
                        SnapshotReply.class);
        FlightDescriptor orders = FlightDescriptor.path("shop", "orders");
        FlightInfo info =
                client.getInfo(orders, credential, readLsn(Long.toString(present.lsn().value())));
        try (FlightStream stream =
                client.getStream(
                        info.getEndpoints().getFirst().getTicket(),
                        credential,
                        readLsn(Long.toString(present.lsn().value())))) {
            while (stream.next()) {
                // read to the end
            }
        }
        for (String lsn : List.of(Long.toString(Long.MAX_VALUE), "soon", "-1")) {
            assertThatThrownBy(() -> client.getInfo(orders, credential, readLsn(lsn)))
                    .satisfies(
                            failure ->
                                    assertThat(status(failure))
                                            .isEqualTo(FlightStatusCode.INVALID_ARGUMENT))
                    .hasMessageContaining("LSN");
        }
        assertThatThrownBy(
                        () -> {
                            try (FlightStream stream =
                                    client.getStream(
                                            info.getEndpoints().getFirst().getTicket(),
                                            credential,
                                            readLsn(Long.toString(Long.MAX_VALUE)))) {
                                stream.next();
                            }
                        })
                .hasMessageContaining("Expected a ticket whose snapshot sees LSN");
    }

    private static HeaderCallOption readLsn(String value) {
        FlightCallHeaders headers = new FlightCallHeaders();
        headers.insert("stele-read-lsn", value);
        return new HeaderCallOption(headers);
    }

    @Test
    void exchangeIsUnimplemented() throws Exception {
        try (FlightClient.ExchangeReaderWriter exchange =
                client.doExchange(FlightDescriptor.path("shop", "orders"), credential)) {
            exchange.getWriter().completed();
            assertThatThrownBy(() -> exchange.getReader().getSchema())
                    .satisfies(
                            failure ->
                                    assertThat(status(failure))
                                            .isEqualTo(FlightStatusCode.UNIMPLEMENTED));
        }
    }

    private static void fill(VectorSchemaRoot root, long firstId, int count, String prefix) {
        BigIntVector ids = (BigIntVector) root.getVector("id");
        VarCharVector statuses = (VarCharVector) root.getVector("status");
        Float8Vector amounts = (Float8Vector) root.getVector("amount");
        TimeStampMicroVector placed = (TimeStampMicroVector) root.getVector("placed");
        for (int i = 0; i < count; i++) {
            long id = firstId + i;
            ids.setSafe(i, id);
            if (id % 3 == 0) {
                statuses.setNull(i);
            } else {
                statuses.setSafe(i, (prefix + id).getBytes(UTF_8));
            }
            amounts.setSafe(i, id / 4.0);
            placed.setSafe(i, 1_000_000L * id);
        }
        root.setRowCount(count);
    }

    private Map<Long, String> read(String table) throws Exception {
        Map<Long, String> rows = new TreeMap<>();
        FlightInfo info = client.getInfo(FlightDescriptor.path("shop", table), credential);
        for (FlightEndpoint endpoint : info.getEndpoints()) {
            try (FlightStream stream = client.getStream(endpoint.getTicket(), credential)) {
                while (stream.next()) {
                    collect(stream.getRoot(), rows);
                }
            }
        }
        return rows;
    }

    private static void collect(VectorSchemaRoot root, Map<Long, String> rows) {
        BigIntVector ids = (BigIntVector) root.getVector("id");
        VarCharVector statuses = (VarCharVector) root.getVector("status");
        Float8Vector amounts = (Float8Vector) root.getVector("amount");
        TimeStampMicroVector placed = (TimeStampMicroVector) root.getVector("placed");
        for (int i = 0; i < root.getRowCount(); i++) {
            long id = ids.get(i);
            assertThat(amounts.get(i)).isEqualTo(id / 4.0);
            assertThat(placed.get(i)).isEqualTo(1_000_000L * id);
            assertThat(rows.put(id, statuses.isNull(i) ? null : new String(statuses.get(i), UTF_8)))
                    .isNull();
        }
    }

    private long count(String table) throws Exception {
        long count = 0;
        for (FlightEndpoint endpoint :
                client.getInfo(FlightDescriptor.path("shop", table), credential).getEndpoints()) {
            try (FlightStream stream = client.getStream(endpoint.getTicket(), credential)) {
                while (stream.next()) {
                    count += stream.getRoot().getRowCount();
                }
            }
        }
        return count;
    }

    private <Q> byte[] action(io.stele.protocol.api.Action<Q, ?> action, Q request) {
        Iterator<Result> results =
                client.doAction(new Action(action.name(), ApiJson.write(request)), credential);
        byte[] body = results.next().getBody();
        assertThat(results.hasNext()).isFalse();
        return body;
    }

    private static PutReply reply(PutResult result) {
        byte[] metadata = new byte[(int) result.getApplicationMetadata().readableBytes()];
        result.getApplicationMetadata().getBytes(0, metadata);
        return ApiJson.read(metadata, PutReply.class);
    }

    private static FlightStatusCode status(Throwable failure) {
        assertThat(failure).isInstanceOf(FlightRuntimeException.class);
        return ((FlightRuntimeException) failure).status().code();
    }
}
