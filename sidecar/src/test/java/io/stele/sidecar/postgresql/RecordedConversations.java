package io.stele.sidecar.postgresql;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.io.Resources;
import io.stele.sidecar.TestingSidecar;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;

/**
 * The messages of real clients: PostgreSQL's JDBC driver, recorded now, and what other clients ask
 * of the catalog, recorded before. They are about the tables orders, items and types of the schema
 * shop.
 */
final class RecordedConversations {
    private static final List<String> CATALOG_CLIENTS =
            List.of("psql", "sqlalchemy", "npgsql", "grafana");

    private static final List<String> STATEMENTS =
            List.of(
                    "INSERT INTO orders VALUES (1, 'new', 1.5, '2026-01-02 03:04:05.000006'), (2,"
                            + " 'paid', -2e3, NULL) ON CONFLICT (id) DO UPDATE SET amount ="
                            + " orders.amount + EXCLUDED.amount RETURNING *",
                    "SELECT status, amount * 2 AS twice, id % 3 FROM orders WHERE id IN (1, 2) AND"
                            + " amount > 0.5 ORDER BY id DESC LIMIT 5 OFFSET 0",
                    "SELECT count(*), min(id), max(price) FROM items WHERE region = 'eu' AND id"
                            + " BETWEEN 1 AND 40",
                    "SELECT CASE WHEN note LIKE 'n_%' ESCAPE '!' THEN upper(note) ELSE"
                            + " coalesce(note, 'none') END FROM items WHERE (region, id) IN (('eu',"
                            + " 1), ('us', 2))",
                    "UPDATE items SET price = price + 1.25, note = substring(note, 1, 2) WHERE"
                            + " region = 'eu' AND id >= 1 RETURNING id, price",
                    "DELETE FROM orders WHERE id = ANY ('{1,2,NULL}') RETURNING id",
                    "SELECT '2020-02-29'::date + 1, extract(year FROM now()), '\\x00ff'::bytea,"
                            + " 1e10::numeric(20,3), CAST('12:34:56' AS time)",
                    "SET search_path TO shop, public",
                    "SHOW search_path",
                    "SELECT * FROM nothing",
                    "SELECT calls, query FROM pg_stat_statements ORDER BY calls LIMIT 3");

    private final int port;

    /**
     * @param port of a sidecar with the tables
     */
    RecordedConversations(int port) {
        this.port = port;
    }

    /** A part of a conversation. */
    @FunctionalInterface
    private interface Part {
        void run(Connection connection) throws Exception;
    }

    List<List<ClientMessage>> all() throws Exception {
        List<List<ClientMessage>> all = new ArrayList<>();
        for (String mode : List.of("simple", "extended")) {
            all.add(recorded(RecordedConversations::statements, "preferQueryMode", mode));
            all.add(recorded(RecordedConversations::block, "preferQueryMode", mode));
        }
        for (String binary : List.of("true", "false")) {
            String[] properties = {"binaryTransfer", binary, "prepareThreshold", "-1"};
            all.add(recorded(RecordedConversations::types, properties));
        }
        all.add(recorded(RecordedConversations::portals));
        all.add(recorded(RecordedConversations::copies));
        all.add(recorded(RecordedConversations::metadata));
        for (String client : CATALOG_CLIENTS) {
            all.add(catalogQueries(client));
        }
        return List.copyOf(all);
    }

    private List<ClientMessage> recorded(Part part, String... more) throws Exception {
        Properties properties = new Properties();
        properties.setProperty("user", "ann");
        properties.setProperty("password", TestingSidecar.SECRET);
        properties.setProperty("currentSchema", "shop");
        properties.setProperty("sslmode", "disable");
        properties.setProperty("gssEncMode", "disable");
        for (int i = 0; i < more.length; i += 2) {
            properties.setProperty(more[i], more[i + 1]);
        }
        try (RecordingProxy proxy = new RecordingProxy(port)) {
            String url = "jdbc:postgresql://127.0.0.1:%s/stele".formatted(proxy.port());
            try (Connection connection = DriverManager.getConnection(url, properties)) {
                part.run(connection);
            }
            return proxy.messages();
        }
    }

    private static void statements(Connection connection) {
        for (String sql : STATEMENTS) {
            run(connection, sql);
        }
    }

    /** Some of the statements fail, as is meant. */
    private static void run(Connection connection, String sql) {
        try (Statement statement = connection.createStatement()) {
            boolean unused = statement.execute(sql);
        } catch (SQLException refused) {
            // the conversation goes on
        }
    }

    private static void block(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        run(
                connection,
                "INSERT INTO items VALUES ('eu', 1, 1.25, 'n1'), ('us', 2, NULL, NULL) ON CONFLICT"
                        + " DO NOTHING");
        try (PreparedStatement batch =
                connection.prepareStatement(
                        "INSERT INTO orders (id, amount) VALUES (?, ?) ON CONFLICT DO NOTHING")) {
            for (long id = 10; id < 13; id++) {
                batch.setLong(1, id);
                batch.setDouble(2, id / 2.0);
                batch.addBatch();
            }
            int[] unused = batch.executeBatch();
        }
        connection.commit();
        run(connection, "SELECT 1 / 0");
        connection.rollback();
    }

    private static void types(Connection connection) throws SQLException {
        String insert =
                "INSERT INTO types VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
                        + " ?::json, ?::json, ?::json, ?::json) ON CONFLICT DO NOTHING";
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            List<Object> values =
                    List.of(
                            1,
                            true,
                            (short) -128,
                            Short.MAX_VALUE,
                            Long.MIN_VALUE,
                            Float.MIN_VALUE,
                            Double.MAX_VALUE,
                            new BigDecimal("-1234567890123456789012345678.0123456789"),
                            "it's \u00e9\u4e2d",
                            "ab",
                            new byte[] {0, 1, -1, 92},
                            LocalDate.of(1, 2, 3),
                            LocalTime.of(1, 2, 3, 4_000),
                            LocalDateTime.of(1999, 12, 31, 23, 59, 59, 999_999_000),
                            OffsetDateTime.of(2026, 7, 8, 9, 10, 11, 12_000, ZoneOffset.UTC),
                            UUID.fromString("12345678-9abc-def0-1234-56789abcdef0"),
                            "{\"k\": [1, null]}",
                            "[1, null, 3]",
                            "{\"one\": 1}",
                            "{\"x\": 7, \"y\": \"z\"}");
            for (int i = 0; i < values.size(); i++) {
                statement.setObject(i + 1, values.get(i));
            }
            int unused = statement.executeUpdate();
        }
        try (PreparedStatement statement =
                connection.prepareStatement(
                        "SELECT * FROM types WHERE id = ANY (?) AND n < ? AND day <= ?")) {
            statement.setArray(1, connection.createArrayOf("integer", new Object[] {1, null, 3}));
            statement.setBigDecimal(2, new BigDecimal("1e-5"));
            statement.setObject(3, LocalDate.of(2026, 1, 1));
            readAll(statement);
        }
    }

    private static void readAll(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                Object unused = rows.getObject(1);
            }
        }
    }

    private static void portals(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        for (int id = 100; id < 110; id++) {
            run(connection, "INSERT INTO items (region, id) VALUES ('portal', %s)".formatted(id));
        }
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT * FROM items WHERE region = ?")) {
            statement.setFetchSize(3);
            statement.setString(1, "portal");
            readAll(statement);
        }
        connection.rollback();
    }

    private static void copies(Connection connection) throws Exception {
        CopyManager copies = connection.unwrap(PGConnection.class).getCopyAPI();
        for (String options :
                List.of("", "(FORMAT csv, HEADER, DELIMITER ';')", "(FORMAT binary)")) {
            run(connection, "INSERT INTO items VALUES ('c', 1, 9.75, 'x\ty'), ('c', 2, NULL, '')");
            ByteArrayOutputStream rows = new ByteArrayOutputStream();
            String query = "COPY (SELECT * FROM items WHERE region = 'c') TO STDOUT " + options;
            long unused = copies.copyOut(query, rows);
            run(connection, "DELETE FROM items WHERE region = 'c'");
            String target = "COPY items FROM STDIN " + options;
            unused = copies.copyIn(target, new ByteArrayInputStream(rows.toByteArray()));
            run(connection, "DELETE FROM items WHERE region = 'c'");
        }
        // Longer than what a message may have without permits
        String large = "20\t%s\t1\t\\N\n".formatted("x".repeat(200_000));
        CopyIn copy = copies.copyIn("COPY orders FROM STDIN");
        copy.writeToCopy(large.getBytes(UTF_8), 0, large.length());
        long unused = copy.endCopy();
        run(connection, "DELETE FROM orders WHERE id = 20");
    }

    private static void metadata(Connection connection) throws SQLException {
        try (ResultSet tables = connection.getMetaData().getTables(null, "shop", "%", null);
                ResultSet columns = connection.getMetaData().getColumns(null, "shop", "it%", "%");
                ResultSet keys = connection.getMetaData().getPrimaryKeys(null, "shop", "items")) {
            for (ResultSet rows : Arrays.asList(tables, columns, keys)) {
                while (rows.next()) {
                    Object unused = rows.getObject(1);
                }
            }
        }
    }

    private static List<ClientMessage> catalogQueries(String client) throws IOException {
        String text =
                Resources.toString(
                        Resources.getResource(
                                "io/stele/sidecar/postgresql/catalog/%s.sql".formatted(client)),
                        UTF_8);
        return Arrays.stream(text.split("\n;;\n"))
                .map(entry -> entry.split("\n-- parameters: ")[0])
                .map(ClientMessage::query)
                .toList();
    }
}
