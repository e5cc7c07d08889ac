package io.stele.sidecar.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.api.write.PutTarget;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.StartupFailure;
import io.stele.sidecar.TestingSidecar;
import io.stele.sidecar.auth.TestingUsers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.Criteria;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.FlightSqlClient.ExecuteIngestOptions;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableExistsOption;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableNotExistOption;
import org.apache.arrow.flight.sql.util.TableRef;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/** Users of a password file, by real clients of the PostgreSQL and the Flight port. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class AccessControlIT {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final String RULES =
            """
            {"tables": [
                {"user": "ann", "schema": "shop", "table": "orders",
                    "privileges": ["SELECT", "INSERT", "UPDATE", "DELETE"]},
                {"user": "bob", "schema": "shop", "table": "orders", "privileges": ["SELECT"]},
                {"user": "bob", "schema": "shop", "table": "events", "privileges": ["INSERT"]},
                {"user": "carl", "schema": "shop", "table": "made_.*",
                    "privileges": ["OWNERSHIP", "INSERT", "SELECT"]},
                {"user": "eve", "schema": "shop", "table": "reloaded", "privileges": ["SELECT"]}]}
            """;

    private final BufferAllocator allocator = new RootAllocator();
    private TestingSidecar sidecar;
    private Path rules;
    private FlightClient flight;
    private FlightSqlClient sql;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        Path users = directory.resolve("users");
        StringBuilder lines = new StringBuilder();
        for (String user : List.of("ann", "bob", "carl", "dave", "eve")) {
            lines.append(TestingUsers.line(user, user + "'s password"));
        }
        Files.writeString(users, lines);
        rules = Files.writeString(directory.resolve("rules.json"), RULES);
        sidecar =
                TestingSidecar.start(
                        directory,
                        Map.of(
                                "stele.postgresql.port",
                                "0",
                                "stele.postgresql.users-file",
                                users.toString(),
                                "stele.access-control.rules-file",
                                rules.toString(),
                                "stele.access-control.refresh-period",
                                "1ms"));
        sidecar.createTable(SampleTables.orders(Orientation.ROW));
        sidecar.createTable(SampleTables.events());
        sidecar.createTable(table("shop", "reloaded"));
        sidecar.createTable(table("hr", "salaries"));
        flight =
                FlightClient.builder(
                                allocator,
                                Location.forGrpcInsecure(
                                        "127.0.0.1", sidecar.server().flightPort()))
                        .build();
        sql = new FlightSqlClient(flight);
        try (Connection ann = connect("ann")) {
            execute(ann, "INSERT INTO shop.orders (id, status) VALUES (1, 'new'), (2, 'new')");
        }
    }

    @AfterAll
    void stop() throws Exception {
        sql.close();
        allocator.close();
        sidecar.close();
    }

    private static TableSchema table(String schema, String name) {
        return TableSchema.builder(schema, name)
                .columns(
                        List.of(
                                new ColumnSchema(
                                        1,
                                        "id",
                                        DataType.parse("bigint"),
                                        false,
                                        Optional.empty())))
                .primaryKey(List.of(1))
                .orientation(Orientation.ROW)
                .build();
    }

    private Connection connect(String user) throws SQLException {
        Properties properties = new Properties();
        properties.put("user", user);
        properties.put("password", user + "'s password");
        properties.put("prepareThreshold", "-1"); // each statement is prepared by name at once
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:%s/stele"
                        .formatted(sidecar.server().postgresqlPort().orElseThrow()),
                properties);
    }

    private static int execute(Connection connection, String statement) throws SQLException {
        try (Statement executed = connection.createStatement()) {
            boolean unused = executed.execute(statement);
            return executed.getUpdateCount();
        }
    }

    private static List<String> texts(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            return texts(rows, 1);
        }
    }

    private static List<String> texts(ResultSet rows, int column) throws SQLException {
        List<String> texts = new ArrayList<>();
        while (rows.next()) {
            texts.add(rows.getString(column));
        }
        return texts;
    }

    private static void assertDenied(ThrowingCallable statement, String message) {
        assertThatThrownBy(statement)
                .isInstanceOfSatisfying(
                        SQLException.class,
                        denied -> assertThat(denied.getSQLState()).isEqualTo("42501"))
                .hasMessageContaining("Permission denied for table " + message);
    }

    @Test
    void statementsNeedTheirPrivileges() throws Exception {
        try (Connection ann = connect("ann");
                Connection bob = connect("bob");
                Connection dave = connect("dave")) {
            assertThat(execute(ann, "INSERT INTO shop.orders (id) VALUES (10) RETURNING id"))
                    .isEqualTo(-1);
            assertThat(execute(ann, "UPDATE shop.orders SET status = 'x' WHERE id = 10"))
                    .isEqualTo(1);
            assertThat(execute(ann, "DELETE FROM shop.orders WHERE id = 10")).isEqualTo(1);
            assertThat(texts(bob, "SELECT status FROM shop.orders WHERE id = 1")).hasSize(1);
            String held = " of user 'bob', found SELECT";
            assertDenied(
                    () -> execute(bob, "INSERT INTO shop.orders (id) VALUES (3)"),
                    "shop.orders: expected the privileges INSERT" + held);
            assertDenied(
                    () ->
                            execute(
                                    bob,
                                    "INSERT INTO shop.orders (id, status) VALUES (1, 'y') ON"
                                            + " CONFLICT (id) DO UPDATE SET status = EXCLUDED.status"),
                    "shop.orders: expected the privileges INSERT, UPDATE" + held);
            assertDenied(
                    () -> execute(bob, "UPDATE shop.orders SET status = 'y' WHERE id = 1"),
                    "shop.orders: expected the privileges SELECT, UPDATE" + held);
            assertDenied(
                    () -> execute(bob, "DELETE FROM shop.orders WHERE id = 1"),
                    "shop.orders: expected the privileges SELECT, DELETE" + held);
            assertThat(execute(bob, "INSERT INTO shop.events (id) VALUES (1)")).isEqualTo(1);
            assertDenied(
                    () -> execute(bob, "INSERT INTO shop.events (id) VALUES (2) RETURNING id"),
                    "shop.events: expected the privileges SELECT, INSERT");
            assertDenied(() -> texts(bob, "SELECT id FROM shop.events LIMIT 1"), "shop.events");
            assertDenied(() -> texts(ann, "SELECT id FROM shop.events LIMIT 1"), "shop.events");
            // Not that the column is missing, either
            assertDenied(
                    () -> texts(dave, "SELECT nothing FROM shop.orders"),
                    "shop.orders: expected the privileges SELECT of user 'dave', found none");
            assertDenied(() -> texts(dave, "SELECT id FROM hr.salaries"), "hr.salaries");
            assertThat(texts(ann, "SELECT status FROM shop.orders WHERE id IN (1, 2, 3)"))
                    .containsExactly("new", "new");
        }
    }

    @Test
    void aDeniedStatementFailsItsBlock() throws Exception {
        try (Connection bob = connect("bob")) {
            bob.setAutoCommit(false);
            assertThat(execute(bob, "INSERT INTO shop.events (id) VALUES (20)")).isEqualTo(1);
            assertDenied(
                    () -> execute(bob, "INSERT INTO shop.orders (id) VALUES (20)"), "shop.orders");
            SQLException failed =
                    catchThrowableOfType(
                            SQLException.class,
                            () -> texts(bob, "SELECT id FROM shop.orders WHERE id = 1"));
            assertThat(failed.getSQLState()).isEqualTo("25P02");
            bob.rollback();
        }
    }

    @Test
    void copyNeedsPrivileges() throws Exception {
        try (Connection bob = connect("bob");
                Connection dave = connect("dave")) {
            CopyManager copies = bob.unwrap(PGConnection.class).getCopyAPI();
            assertThat(
                            copies.copyIn(
                                    "COPY shop.events (id) FROM STDIN", new StringReader("5\n6\n")))
                    .isEqualTo(2);
            assertDenied(
                    () ->
                            copies.copyIn(
                                    "COPY shop.orders (id) FROM STDIN", new StringReader("5\n")),
                    "shop.orders: expected the privileges INSERT");
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            assertThat(copies.copyOut("COPY shop.orders (id) TO STDOUT", out)).isPositive();
            assertDenied(() -> copies.copyOut("COPY shop.events TO STDOUT", out), "shop.events");
            assertDenied(
                    () -> copies.copyOut("COPY (SELECT id FROM shop.events) TO STDOUT", out),
                    "shop.events");
            CopyManager ofDave = dave.unwrap(PGConnection.class).getCopyAPI();
            assertDenied(
                    () ->
                            ofDave.copyIn(
                                    "COPY shop.orders (nothing) FROM STDIN", new StringReader("")),
                    "shop.orders");
        }
    }

    @Test
    void listsHaveWhatTheUserSees() throws Exception {
        try (Connection bob = connect("bob");
                Connection dave = connect("dave")) {
            try (ResultSet tables =
                    bob.getMetaData().getTables(null, null, "%", new String[] {"TABLE"})) {
                assertThat(texts(tables, 3)).containsExactlyInAnyOrder("events", "orders");
            }
            try (ResultSet columns = bob.getMetaData().getColumns(null, "hr", "%", "%")) {
                assertThat(texts(columns, 3)).isEmpty();
            }
            try (ResultSet keys = bob.getMetaData().getPrimaryKeys(null, "shop", "orders")) {
                assertThat(texts(keys, 4)).containsExactly("id");
            }
            assertThat(texts(bob, "SELECT nspname FROM pg_catalog.pg_namespace"))
                    .contains("shop")
                    .doesNotContain("hr");
            assertThat(
                            texts(
                                    bob,
                                    "SELECT table_name FROM information_schema.tables WHERE"
                                            + " table_schema IN ('shop', 'hr') ORDER BY 1"))
                    .containsExactly("events", "orders");
            assertThat(texts(bob, "SELECT to_regclass('hr.salaries')"))
                    .containsExactly((String) null);
            assertThat(texts(bob, "SELECT has_table_privilege('shop.orders', 'SELECT')"))
                    .containsExactly("t");
            assertThat(texts(bob, "SELECT has_table_privilege('bob', 'shop.orders', 'INSERT')"))
                    .containsExactly("f");
            assertThat(
                            texts(
                                    bob,
                                    "SELECT has_table_privilege(oid, 'DELETE, INSERT') FROM"
                                            + " pg_catalog.pg_class WHERE relname = 'events'"))
                    .containsExactly("t");
            assertThat(texts(bob, "SELECT has_column_privilege('shop.events', 'id', 'SELECT')"))
                    .containsExactly("f");
            try (ResultSet tables =
                    dave.getMetaData().getTables(null, null, "%", new String[] {"TABLE"})) {
                assertThat(texts(tables, 3)).isEmpty();
            }
        }
    }

    /** Also of statements that were prepared before. */
    @Test
    void changedRulesCount() throws Exception {
        try (Connection eve = connect("eve");
                PreparedStatement select =
                        eve.prepareStatement("SELECT count(*) FROM shop.reloaded WHERE id = ?")) {
            select.setLong(1, 1);
            assertThat(isDenied(select)).isFalse();
            Files.writeString(rules, RULES.replace("reloaded", "another"));
            await(() -> isDenied(select));
            assertThat(texts(eve, "SELECT to_regclass('shop.reloaded')"))
                    .containsExactly((String) null);
            Files.writeString(rules, "{");
            for (int i = 0; i < 10; i++) {
                assertThat(isDenied(select)).isTrue(); // by the last good rules
            }
            Files.writeString(rules, RULES);
            await(() -> !isDenied(select));
            assertThat(texts(eve, "SELECT to_regclass('shop.reloaded')"))
                    .containsExactly("shop.reloaded");
        } finally {
            Files.writeString(rules, RULES);
        }
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void await(Condition condition) throws Exception {
        long deadline = System.nanoTime() + LONG.toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private static boolean isDenied(PreparedStatement select) throws SQLException {
        try (ResultSet rows = select.executeQuery()) {
            assertThat(texts(rows, 1)).containsExactly("0");
            return false;
        } catch (SQLException failure) {
            assertThat(failure.getSQLState()).isEqualTo("42501");
            return true;
        }
    }

    private CredentialCallOption token(String user) {
        return flight.authenticateBasicToken(user, user + "'s password").orElseThrow();
    }

    private static void assertStatus(ThrowingCallable call, FlightStatusCode status, String text) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FlightRuntimeException.class,
                        failure -> assertThat(failure.status().code()).isEqualTo(status))
                .hasMessageContaining(text);
    }

    private static void assertUnauthorized(ThrowingCallable call, String text) {
        assertStatus(call, FlightStatusCode.UNAUTHORIZED, "Permission denied for " + text);
    }

    private List<String> rows(Ticket ticket, CredentialCallOption user) throws Exception {
        List<String> rows = new ArrayList<>();
        try (FlightStream stream = flight.getStream(ticket, user)) {
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

    private List<String> rows(FlightInfo info, CredentialCallOption user) throws Exception {
        return rows(info.getEndpoints().getFirst().getTicket(), user);
    }

    @Test
    void flightLoginsAreByPasswordOrSecret() throws Exception {
        assertStatus(
                () -> flight.authenticateBasicToken("ann", "bob's password"),
                FlightStatusCode.UNAUTHENTICATED,
                "");
        assertStatus(
                () -> flight.authenticateBasicToken("nobody", "ann's password"),
                FlightStatusCode.UNAUTHENTICATED,
                "");
        CredentialCallOption ofSecret =
                flight.authenticateBasicToken("dave", TestingSidecar.SECRET).orElseThrow();
        assertThat(rows(sql.execute("SELECT count(*) FROM hr.salaries", ofSecret), ofSecret))
                .containsExactly("0");
    }

    @Test
    void flightSqlNeedsPrivileges() throws Exception {
        CredentialCallOption ann = token("ann");
        CredentialCallOption bob = token("bob");
        assertThat(rows(sql.execute("SELECT status FROM shop.orders WHERE id = 1", bob), bob))
                .containsExactly("new");
        assertThat(sql.executeUpdate("INSERT INTO shop.events (id) VALUES (30)", bob)).isEqualTo(1);
        assertUnauthorized(
                () -> sql.executeUpdate("INSERT INTO shop.orders (id) VALUES (30)", bob),
                "table shop.orders: expected the privileges INSERT of user 'bob', found SELECT");
        assertUnauthorized(
                () -> sql.execute("SELECT * FROM hr.salaries", ann), "table hr.salaries");
        assertUnauthorized(
                () -> sql.getExecuteSchema("SELECT * FROM hr.salaries", ann), "table hr.salaries");
        assertUnauthorized(
                () -> sql.prepare("DELETE FROM shop.orders WHERE id = ?", bob),
                "table shop.orders");
        // The handle is Ann's, and so are its privileges
        FlightSqlClient.PreparedStatement insert =
                sql.prepare("INSERT INTO shop.orders (id) VALUES (30)", ann);
        assertStatus(() -> insert.executeUpdate(bob), FlightStatusCode.NOT_FOUND, "");
        insert.close(ann);
        FlightSqlClient.Transaction transaction = sql.beginTransaction(bob);
        assertUnauthorized(
                () ->
                        sql.executeUpdate(
                                "UPDATE shop.orders SET status = '' WHERE id = 1",
                                transaction,
                                bob),
                "table shop.orders");
        sql.rollback(transaction, bob);
    }

    @Test
    void ingestionNeedsPrivileges() throws Exception {
        CredentialCallOption bob = token("bob");
        CredentialCallOption carl = token("carl");
        try (VectorSchemaRoot root = ids(40, 50)) {
            assertThat(sql.executeIngest(root, into("events"), bob)).isEqualTo(10);
            assertUnauthorized(
                    () -> sql.executeIngest(root, into("orders"), bob),
                    "table shop.orders: expected the privileges INSERT");
            assertUnauthorized(
                    () -> sql.executeIngest(root, into("made_up"), bob),
                    "table shop.made_up: expected the privileges INSERT, OWNERSHIP");
            assertThat(sql.executeIngest(root, into("made_up"), carl)).isEqualTo(10);
            assertThat(rows(sql.execute("SELECT count(*) FROM shop.made_up", carl), carl))
                    .containsExactly("10");
        }
    }

    private VectorSchemaRoot ids(int from, int to) {
        BigIntVector ids = new BigIntVector("id", allocator);
        for (int id = from; id < to; id++) {
            ids.setSafe(id - from, id);
        }
        ids.setValueCount(to - from);
        return VectorSchemaRoot.of(ids);
    }

    private static ExecuteIngestOptions into(String table) {
        return new ExecuteIngestOptions(
                table,
                TableDefinitionOptions.newBuilder()
                        .setIfNotExist(TableNotExistOption.TABLE_NOT_EXIST_OPTION_CREATE)
                        .setIfExists(TableExistsOption.TABLE_EXISTS_OPTION_APPEND)
                        .build(),
                false,
                null,
                "shop",
                Map.of());
    }

    @Test
    void flightSqlListsWhatTheUserSees() throws Exception {
        CredentialCallOption bob = token("bob");
        assertThat(rows(sql.getTables(null, null, null, null, false, bob), bob))
                .containsExactlyInAnyOrder("stele|shop|events|TABLE", "stele|shop|orders|TABLE");
        assertThat(rows(sql.getSchemas(null, null, bob), bob)).containsExactly("stele|shop");
        assertThat(rows(sql.getPrimaryKeys(TableRef.of(null, "hr", "salaries"), bob), bob))
                .isEmpty();
    }

    @Test
    void rawFlightNeedsPrivileges() throws Exception {
        CredentialCallOption ann = token("ann");
        CredentialCallOption bob = token("bob");
        CredentialCallOption dave = token("dave");
        List<String> listed = new ArrayList<>();
        for (FlightInfo info : flight.listFlights(Criteria.ALL, bob)) {
            listed.add(String.join(".", info.getDescriptor().getPath()));
        }
        assertThat(listed).containsExactlyInAnyOrder("shop.events", "shop.orders");
        FlightInfo orders = flight.getInfo(FlightDescriptor.path("shop", "orders"), ann);
        Ticket ticket = orders.getEndpoints().getFirst().getTicket();
        assertThat(rows(ticket, bob)).isNotNull();
        assertUnauthorized(() -> rows(ticket, dave), "table shop.orders");
        assertUnauthorized(
                () -> flight.getInfo(FlightDescriptor.path("shop", "events"), bob),
                "table shop.events: expected the privileges SELECT of user 'bob', found INSERT");
        assertThat(flight.getSchema(FlightDescriptor.path("shop", "events"), bob)).isNotNull();
        assertUnauthorized(
                () -> flight.getSchema(FlightDescriptor.path("hr", "salaries"), bob),
                "table hr.salaries");
        put("events", bob);
        assertUnauthorized(
                () -> put("orders", bob),
                "table shop.orders: expected the privileges INSERT, UPDATE");
        // Transactions are of others, and their ids can be guessed
        PutTarget target =
                new PutTarget(
                        Optional.of(new TableName("shop", "events")),
                        Optional.empty(),
                        PutMode.APPEND,
                        Optional.of("1-1"),
                        Optional.empty(),
                        Optional.empty(),
                        0,
                        Optional.empty());
        assertUnauthorized(
                () -> put("events", FlightDescriptor.command(ApiJson.write(target)), bob),
                "a put into a transaction");
        assertUnauthorized(
                () ->
                        flight.doAction(
                                        new Action(CatalogActions.LIST_TABLES.name(), new byte[0]),
                                        ann)
                                .forEachRemaining(result -> {}),
                "action 'list-tables': expected a login with the shared secret");
        assertUnauthorized(
                () ->
                        flight.doAction(
                                        new Action(
                                                CatalogActions.WATCH_METADATA.name(), new byte[0]),
                                        ann)
                                .forEachRemaining(result -> {}),
                "action");
        assertThat(flight.listActions(ann)).isNotEmpty();
    }

    /** All columns of the table, of one row. */
    private void put(String table, CredentialCallOption user) throws Exception {
        put(table, FlightDescriptor.path("shop", table), user);
    }

    private void put(String table, FlightDescriptor target, CredentialCallOption user)
            throws Exception {
        try (VectorSchemaRoot root =
                VectorSchemaRoot.create(
                        flight.getSchema(FlightDescriptor.path("shop", table), user).getSchema(),
                        allocator)) {
            ((BigIntVector) root.getVector("id")).setSafe(0, 60);
            root.setRowCount(1);
            FlightClient.ClientStreamListener put =
                    flight.startPut(target, root, new AsyncPutListener(), user);
            put.putNext();
            put.completed();
            put.getResult();
        }
    }

    @Test
    void theJdbcDriverOfFlightSqlLogsInAsAUser() throws SQLException {
        Properties properties = new Properties();
        properties.put("user", "bob");
        properties.put("password", "bob's password");
        properties.put("useEncryption", "false");
        try (Connection bob =
                DriverManager.getConnection(
                        "jdbc:arrow-flight-sql://127.0.0.1:" + sidecar.server().flightPort(),
                        properties)) {
            assertThat(texts(bob, "SELECT status FROM shop.orders WHERE id = 2"))
                    .containsExactly("new");
            assertThatThrownBy(() -> texts(bob, "SELECT id FROM hr.salaries LIMIT 1"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("Permission denied for table hr.salaries");
        }
    }

    @Test
    void mistakesEndTheStart(@TempDir Path directory) throws IOException {
        Path users = directory.resolve("users");
        Files.writeString(users, TestingUsers.line("ann", "x"), StandardCharsets.UTF_8);
        Path wrong = directory.resolve("wrong.json");
        Files.writeString(wrong, "{\"tables\": [], \"queries\": []}");
        Map<String, String> withUsers = Map.of("stele.postgresql.users-file", users.toString());
        assertThat(startFailure(directory, withUsers, wrong))
                .contains("found 'queries'")
                .contains("wrong.json");
        assertThat(startFailure(directory, withUsers, directory.resolve("missing.json")))
                .contains("stele.access-control.rules-file")
                .contains("missing.json");
        Path right = Files.writeString(directory.resolve("right.json"), RULES);
        assertThat(startFailure(directory, Map.of(), right))
                .contains("Expected stele.postgresql.users-file");
    }

    private static String startFailure(
            Path directory, Map<String, String> properties, Path rulesFile) {
        Map<String, String> all = new HashMap<>(properties);
        all.put("stele.access-control.rules-file", rulesFile.toString());
        return catchThrowableOfType(
                        StartupFailure.class,
                        () -> TestingSidecar.start(directory.resolve("sidecar"), all).close())
                .getMessage();
    }
}
