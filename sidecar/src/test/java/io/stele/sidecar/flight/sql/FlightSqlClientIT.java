package io.stele.sidecar.flight.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.FlightSqlClient.ExecuteIngestOptions;
import org.apache.arrow.flight.sql.FlightSqlClient.Transaction;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableExistsOption;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableNotExistOption;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Arrow's own client of Flight SQL: transactions, ingestion, cancellation and what handles are. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FlightSqlClientIT {
    private final BufferAllocator allocator = new RootAllocator();
    private TestingSidecar sidecar;
    private FlightSqlClient client;
    private CredentialCallOption alice;
    private CredentialCallOption bob;

    @BeforeAll
    void start(@TempDir Path directory) {
        sidecar =
                TestingSidecar.start(
                        directory,
                        Map.of(
                                "stele.transaction.max-size", "2MB",
                                "stele.load.buffer-size", "256kB"));
        sidecar.createTable(SampleTables.orders(Orientation.ROW));
        sidecar.createTable(SampleTables.orders(Orientation.COLUMN).withName("shop", "loaded"));
        sidecar.createTable(SampleTables.events());
        FlightClient flight =
                FlightClient.builder(
                                allocator,
                                Location.forGrpcInsecure(
                                        "127.0.0.1", sidecar.server().flightPort()))
                        .build();
        alice = flight.authenticateBasicToken("alice", TestingSidecar.SECRET).orElseThrow();
        bob = flight.authenticateBasicToken("bob", TestingSidecar.SECRET).orElseThrow();
        client = new FlightSqlClient(flight);
    }

    @AfterAll
    void stop() throws Exception {
        client.close();
        allocator.close();
        sidecar.close();
    }

    private List<String> rows(FlightInfo info) throws Exception {
        List<String> rows = new ArrayList<>();
        try (FlightStream stream =
                client.getStream(info.getEndpoints().getFirst().getTicket(), alice)) {
            while (stream.next()) {
                for (int row = 0; row < stream.getRoot().getRowCount(); row++) {
                    List<String> values = new ArrayList<>();
                    for (FieldVector vector : stream.getRoot().getFieldVectors()) {
                        values.add(String.valueOf(vector.getObject(row)));
                    }
                    rows.add(String.join("|", values));
                }
            }
        }
        return rows;
    }

    private List<String> query(String sql) throws Exception {
        return rows(client.execute(sql, alice));
    }

    private List<String> query(String sql, Transaction transaction) throws Exception {
        return rows(client.execute(sql, transaction, alice));
    }

    private static void assertStatus(ThrowingCallable call, FlightStatusCode status, String text) {
        assertThatThrownBy(call)
                .isInstanceOf(FlightRuntimeException.class)
                .hasMessageContaining(text)
                .satisfies(
                        failure ->
                                assertThat(((FlightRuntimeException) failure).status().code())
                                        .isEqualTo(status));
    }

    @Test
    void transactionsAreAllOrNothing() throws Exception {
        Transaction transaction = client.beginTransaction(alice);
        assertThat(
                        client.executeUpdate(
                                "INSERT INTO shop.orders (id, status) VALUES (1, 'a'), (2, 'b')",
                                transaction,
                                alice))
                .isEqualTo(2);
        assertThat(query("SELECT status FROM shop.orders WHERE id IN (1, 2)", transaction))
                .containsExactlyInAnyOrder("a", "b");
        assertThat(query("SELECT status FROM shop.orders WHERE id IN (1, 2)")).isEmpty();
        client.commit(transaction, alice);
        assertThat(query("SELECT status FROM shop.orders WHERE id IN (1, 2)")).hasSize(2);

        Transaction undone = client.beginTransaction(alice);
        long unused = client.executeUpdate("DELETE FROM shop.orders WHERE id = 1", undone, alice);
        client.rollback(undone, alice);
        assertThat(query("SELECT status FROM shop.orders WHERE id = 1")).containsExactly("a");
        assertStatus(
                () -> client.commit(undone, alice), FlightStatusCode.NOT_FOUND, "a transaction");
    }

    @Test
    void firstCommitterWins() throws Exception {
        long inserted =
                client.executeUpdate("INSERT INTO shop.orders (id, amount) VALUES (10, 1)", alice);
        assertThat(inserted).isEqualTo(1);
        Transaction first = client.beginTransaction(alice);
        Transaction second = client.beginTransaction(alice);
        for (Transaction transaction : List.of(first, second)) {
            assertThat(
                            client.executeUpdate(
                                    "UPDATE shop.orders SET amount = amount + 1 WHERE id = 10",
                                    transaction,
                                    alice))
                    .isEqualTo(1);
        }
        client.commit(first, alice);
        assertStatus(() -> client.commit(second, alice), FlightStatusCode.INTERNAL, "");
        assertThat(query("SELECT amount FROM shop.orders WHERE id = 10")).containsExactly("2.0");
    }

    @Test
    void aFailedChangeFailsItsTransaction() {
        Transaction transaction = client.beginTransaction(alice);
        long inserted =
                client.executeUpdate(
                        "INSERT INTO shop.orders (id) VALUES (20)", transaction, alice);
        assertThat(inserted).isEqualTo(1);
        assertStatus(
                () ->
                        client.executeUpdate(
                                "INSERT INTO shop.orders (id) VALUES (20)", transaction, alice),
                FlightStatusCode.ALREADY_EXISTS,
                "Expected a new primary key");
        assertStatus(
                () ->
                        client.executeUpdate(
                                "INSERT INTO shop.orders (id) VALUES (21)", transaction, alice),
                FlightStatusCode.INVALID_ARGUMENT,
                "Expected ROLLBACK");
        assertStatus(
                () -> client.commit(transaction, alice),
                FlightStatusCode.INVALID_ARGUMENT,
                "Expected ROLLBACK");
    }

    @Test
    void whatOneUserOpensIsNoOthers() throws Exception {
        Transaction transaction = client.beginTransaction(alice);
        assertStatus(
                () ->
                        client.executeUpdate(
                                "INSERT INTO shop.orders (id) VALUES (30)", transaction, bob),
                FlightStatusCode.NOT_FOUND,
                "of user 'bob'");
        assertStatus(() -> client.rollback(transaction, bob), FlightStatusCode.NOT_FOUND, "'bob'");
        client.rollback(transaction, alice);
        FlightInfo info = client.execute("SELECT 1", alice);
        Ticket ticket = info.getEndpoints().getFirst().getTicket();
        assertStatus(
                () -> client.getStream(ticket, bob).getSchema(),
                FlightStatusCode.NOT_FOUND,
                "'bob'");
        assertThat(rows(info)).containsExactly("1");
        assertStatus(
                () -> client.getStream(ticket, alice).getSchema(),
                FlightStatusCode.NOT_FOUND,
                "a result");
        FlightSqlClient.PreparedStatement prepared = client.prepare("SELECT 2", alice);
        assertThat(rows(prepared.execute(alice))).containsExactly("2");
        assertThat(rows(prepared.execute(alice))).containsExactly("2");
        assertStatus(() -> prepared.execute(bob), FlightStatusCode.NOT_FOUND, "'bob'");
        prepared.close(alice);
    }

    @Test
    void statementsAreCancelled() throws Exception {
        FlightInfo info = client.execute("SELECT 1", alice);
        assertThat(client.cancelFlightInfo(new CancelFlightInfoRequest(info), alice).getStatus())
                .isEqualTo(CancelStatus.CANCELLED);
        assertStatus(() -> rows(info), FlightStatusCode.NOT_FOUND, "a result");
        assertThat(client.cancelFlightInfo(new CancelFlightInfoRequest(info), alice).getStatus())
                .isEqualTo(CancelStatus.NOT_CANCELLABLE);

        // A result that is larger than what is on the way to a client that does not read
        try (VectorSchemaRoot root = orders(40_000, 60_000, "x".repeat(1_000))) {
            long count =
                    client.executeIngest(
                            root,
                            options("many", TableExistsOption.TABLE_EXISTS_OPTION_FAIL),
                            alice);
            assertThat(count).isEqualTo(20_000);
        }
        FlightInfo many = client.execute("SELECT * FROM shop.many LIMIT 1000000", alice);
        try (FlightStream stream =
                client.getStream(many.getEndpoints().getFirst().getTicket(), alice)) {
            assertThat(stream.next()).isTrue();
            assertThat(
                            client.cancelFlightInfo(new CancelFlightInfoRequest(many), alice)
                                    .getStatus())
                    .isEqualTo(CancelStatus.CANCELLING);
            assertStatus(
                    () -> {
                        while (stream.next()) {}
                    },
                    FlightStatusCode.CANCELLED,
                    "cancelled by its client");
        }
    }

    @Test
    void ingestionAppendsToATableOrNotAtAll() throws Exception {
        ExecuteIngestOptions append =
                options("orders", TableExistsOption.TABLE_EXISTS_OPTION_APPEND);
        try (VectorSchemaRoot root = orders(1_000, 3_000, "ingested")) {
            assertThat(client.executeIngest(root, append, alice)).isEqualTo(2_000);
            assertThat(query("SELECT count(*) FROM shop.orders WHERE status = 'ingested'"))
                    .containsExactly("2000");
            assertStatus(
                    () -> client.executeIngest(root, append, alice),
                    FlightStatusCode.ALREADY_EXISTS,
                    "");
        }
        try (VectorSchemaRoot root = orders(2_999, 5_000, "again")) {
            assertStatus(
                    () -> client.executeIngest(root, append, alice),
                    FlightStatusCode.ALREADY_EXISTS,
                    "");
        }
        assertThat(query("SELECT count(*) FROM shop.orders WHERE status = 'again'"))
                .containsExactly("0");
        try (VectorSchemaRoot root = orders(6_000, 6_010, "in a transaction")) {
            Transaction transaction = client.beginTransaction(alice);
            assertThat(client.executeIngest(root, append, transaction, alice)).isEqualTo(10);
            assertThat(query("SELECT count(*) FROM shop.orders WHERE id >= 6000 AND id < 6010"))
                    .containsExactly("0");
            client.commit(transaction, alice);
            assertThat(query("SELECT count(*) FROM shop.orders WHERE id >= 6000 AND id < 6010"))
                    .containsExactly("10");
        }
    }

    @Test
    void ingestionOfMoreThanATransactionStagesIsOneTransaction() throws Exception {
        ExecuteIngestOptions append =
                options("loaded", TableExistsOption.TABLE_EXISTS_OPTION_APPEND);
        String status = "x".repeat(100);
        try (VectorSchemaRoot root = orders(0, 30_000, status)) { // 4 MB
            assertThat(client.executeIngest(root, append, alice)).isEqualTo(30_000);
            assertStatus(
                    () -> client.executeIngest(root, append, alice),
                    FlightStatusCode.ALREADY_EXISTS,
                    "duplicate key");
            assertStatus(
                    () ->
                            client.executeIngest(
                                    root,
                                    options("orders", TableExistsOption.TABLE_EXISTS_OPTION_APPEND),
                                    alice),
                    FlightStatusCode.ALREADY_EXISTS, // it has one of the keys, and loads as well
                    "duplicate key");
        }
        assertThat(query("SELECT count(*), max(id) FROM shop.loaded WHERE id >= 0"))
                .containsExactly("30000|29999");
    }

    @Test
    void ingestionMakesTablesAndReplacesThem() throws Exception {
        try (VectorSchemaRoot root = orders(0, 100, "made")) {
            assertStatus(
                    () ->
                            client.executeIngest(
                                    root,
                                    new ExecuteIngestOptions(
                                            "made",
                                            definition(
                                                    TableNotExistOption.TABLE_NOT_EXIST_OPTION_FAIL,
                                                    TableExistsOption.TABLE_EXISTS_OPTION_APPEND),
                                            false,
                                            null,
                                            "shop",
                                            Map.of()),
                                    alice),
                    FlightStatusCode.NOT_FOUND,
                    "shop.made");
            assertThat(
                            client.executeIngest(
                                    root,
                                    options("made", TableExistsOption.TABLE_EXISTS_OPTION_FAIL),
                                    alice))
                    .isEqualTo(100);
            assertThat(query("SELECT count(*), max(id) FROM shop.made")).containsExactly("100|99");
            assertStatus(
                    () ->
                            client.executeIngest(
                                    root,
                                    options("made", TableExistsOption.TABLE_EXISTS_OPTION_FAIL),
                                    alice),
                    FlightStatusCode.INVALID_ARGUMENT,
                    "Expected no table");
        }
        try (VectorSchemaRoot root = orders(500, 510, "replaced")) {
            assertThat(
                            client.executeIngest(
                                    root,
                                    options("made", TableExistsOption.TABLE_EXISTS_OPTION_REPLACE),
                                    alice))
                    .isEqualTo(10);
        }
        assertThat(query("SELECT count(*), max(id) FROM shop.made")).containsExactly("10|509");
    }

    private static TableDefinitionOptions definition(
            TableNotExistOption ifMissing, TableExistsOption ifThere) {
        return TableDefinitionOptions.newBuilder()
                .setIfNotExist(ifMissing)
                .setIfExists(ifThere)
                .build();
    }

    private static ExecuteIngestOptions options(String table, TableExistsOption ifThere) {
        return new ExecuteIngestOptions(
                table,
                definition(TableNotExistOption.TABLE_NOT_EXIST_OPTION_CREATE, ifThere),
                false,
                null,
                "shop",
                Map.of());
    }

    private VectorSchemaRoot orders(int from, int to, String status) {
        BigIntVector ids = new BigIntVector("id", allocator);
        VarCharVector states = new VarCharVector("status", allocator);
        Float8Vector amounts = new Float8Vector("amount", allocator);
        byte[] state = status.getBytes(StandardCharsets.UTF_8);
        IntStream.range(from, to)
                .forEach(
                        id -> {
                            ids.setSafe(id - from, id);
                            states.setSafe(id - from, state);
                            amounts.setSafe(id - from, id / 2.0);
                        });
        VectorSchemaRoot root = VectorSchemaRoot.of(ids, states, amounts);
        root.setRowCount(to - from);
        return root;
    }

    @Test
    void typesAreDescribed() throws Exception {
        assertThat(rows(client.getXdbcTypeInfo(alice)))
                .anyMatch(row -> row.startsWith("bigint|-5|19|"))
                .anyMatch(row -> row.startsWith("varchar|12|"));
        assertThat(rows(client.getXdbcTypeInfo(-5, alice))).hasSize(1);
        assertThat(rows(client.getXdbcTypeInfo(12_345, alice))).isEmpty();
    }

    /** Its rows were scanned when it was small. */
    @Test
    void statementsOfATableThatHasGrownAreRefused() throws Exception {
        assertThat(client.executeUpdate("INSERT INTO shop.events (id) VALUES (0)", alice))
                .isEqualTo(1);
        FlightSqlClient.PreparedStatement prepared =
                client.prepare("SELECT id FROM shop.events WHERE status = 'x'", alice);
        for (int part = 0; part < 4; part++) {
            String rows =
                    IntStream.range(part * 3_000, (part + 1) * 3_000)
                            .mapToObj("(%s)"::formatted)
                            .collect(Collectors.joining(", "));
            long inserted =
                    client.executeUpdate("INSERT INTO shop.events (id) VALUES " + rows, alice);
            assertThat(inserted).isEqualTo(3_000);
        }
        TableSchema present = sidecar.engine().engine().catalog().current().table("shop", "events");
        sidecar.engine()
                .engine()
                .alterTable(
                        present.id(),
                        present.schemaVersion(),
                        ColumnChange.addColumn("w", DataType.parse("bigint"), Optional.empty()))
                .join();
        assertStatus(
                () -> rows(prepared.execute(alice)),
                FlightStatusCode.UNIMPLEMENTED,
                "a table of at most 10000 rows");
        prepared.close(alice);
    }

    @Test
    void preparedParametersAreDescribed() throws Exception {
        FlightSqlClient.PreparedStatement prepared =
                client.prepare(
                        "SELECT id, amount FROM shop.orders WHERE id = ANY (?) AND amount < ?",
                        alice);
        assertThat(prepared.getParameterSchema().getFields()).hasSize(2);
        assertThat(prepared.getResultSetSchema().getFields())
                .extracting(field -> field.getName())
                .containsExactly("id", "amount");
        assertStatus(
                () -> prepared.execute(alice),
                FlightStatusCode.INVALID_ARGUMENT,
                "Expected 2 parameters, found 0");
        prepared.close(alice);
    }
}
