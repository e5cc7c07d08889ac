package io.stele.benchmarks.servers;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.airlift.units.Duration;
import io.trino.jdbc.TrinoResultSet;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/**
 * One JDBC connection to Trino.
 *
 * <p>Confined to one thread.
 */
public final class TrinoSession implements AutoCloseable {
    private static final String USER = "stele";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final URI trino;
    private final Connection connection;
    private final HttpClient http = HttpClient.newHttpClient();
    private final Map<String, String> properties = new HashMap<>(); // that were set

    private TrinoSession(URI trino, Connection connection) {
        this.trino = requireNonNull(trino, "trino is null");
        this.connection = requireNonNull(connection, "connection is null");
    }

    public static TrinoSession connect(URI trino) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", USER);
        return new TrinoSession(
                trino,
                DriverManager.getConnection(
                        "jdbc:trino://%s:%d".formatted(trino.getHost(), trino.getPort()),
                        properties));
    }

    /** Sets the catalog and schema of table names without them. */
    public void use(String catalog, String schema) throws SQLException {
        connection.setCatalog(catalog);
        connection.setSchema(schema);
    }

    /**
     * Sets a session property of a catalog, unless it was set to that before.
     *
     * @param value a literal of SQL
     */
    public void set(String catalog, String property, String value) throws SQLException {
        String name = catalog + "." + property;
        if (!value.equals(properties.get(name))) {
            update("SET SESSION %s = %s".formatted(name, value));
            properties.put(name, value);
        }
    }

    /** As {@link #query}, from the statement sent to the last row read. */
    public List<List<Object>> timed(String sql, Latencies latencies) throws SQLException {
        long start = System.nanoTime();
        List<List<Object>> rows = query(sql);
        latencies.record(System.nanoTime() - start);
        return rows;
    }

    /** All rows of the query's result; values as the JDBC driver gives them, nulls included. */
    public List<List<Object>> query(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            return rows(result);
        }
    }

    /** Runs a query and returns its measurements. */
    public Measured measure(String sql) throws SQLException, IOException, InterruptedException {
        long start = System.nanoTime();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            List<List<Object>> rows = rows(result);
            double millis = (System.nanoTime() - start) / 1e6;
            String queryId = result.unwrap(TrinoResultSet.class).getQueryId();
            return new Measured(rows, millis, physicalInputBytes(queryId));
        }
    }

    private static List<List<Object>> rows(ResultSet result) throws SQLException {
        int columns = result.getMetaData().getColumnCount();
        List<List<Object>> rows = new ArrayList<>();
        while (result.next()) {
            List<Object> row = new ArrayList<>(columns);
            for (int column = 1; column <= columns; column++) {
                row.add(result.getObject(column));
            }
            rows.add(row);
        }
        return rows;
    }

    /** The bytes that the workers reported as read, once the coordinator has the final report. */
    private long physicalInputBytes(String queryId) throws IOException, InterruptedException {
        String text = statistics(queryId).path("physicalInputDataSize").asText();
        if (!text.endsWith("B")) {
            throw new IOException(
                    "Expected the size of query %s in bytes, found '%s'".formatted(queryId, text));
        }
        return Long.parseLong(text.substring(0, text.length() - 1));
    }

    /**
     * Runs a query of Stele's tables and returns how long the coordinator spent in the connector:
     * calls of its metadata and the planning of splits, in milliseconds.
     */
    public double planningMillis(String sql, String catalog)
            throws SQLException, IOException, InterruptedException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            rows(result);
            String queryId = result.unwrap(TrinoResultSet.class).getQueryId();
            JsonNode metrics = statistics(queryId).path("catalogMetadataMetrics").path(catalog);
            return millis(metrics, "metadata time") + millis(metrics, "split planning time");
        }
    }

    private static double millis(JsonNode metrics, String name) throws IOException {
        String text = metrics.path(name).path("duration").asText();
        try {
            return Duration.valueOf(text).getValue(TimeUnit.MILLISECONDS);
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "Expected a duration as '%s', found %s".formatted(name, metrics), e);
        }
    }

    private JsonNode statistics(String queryId) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(trino.resolve("/v1/query/" + queryId))
                        .header("X-Trino-User", USER)
                        .build();
        String body = http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        return JSON.readTree(body).path("queryStats");
    }

    /** The single number that the query returns. */
    public long number(String sql) throws SQLException {
        List<List<Object>> rows = query(sql);
        if (rows.size() != 1 || !(rows.getFirst().getFirst() instanceof Number number)) {
            throw new IllegalStateException(
                    "Expected one row with one number, found %s for: %s".formatted(rows, sql));
        }
        return number.longValue();
    }

    /** Runs a statement and returns its count of rows, 0 where it has none. */
    public long update(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return Math.max(0, statement.getLargeUpdateCount());
        }
    }

    /** Moves the rows of a table of Stele that are in memory into files. */
    public void flush(String table) throws SQLException {
        update("ALTER TABLE %s EXECUTE flush".formatted(table));
    }

    /** Runs a statement with parameters for each of some rows, as one batch of the driver. */
    public void batch(String sql, List<List<Object>> rows) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (List<Object> row : rows) {
                for (int parameter = 0; parameter < row.size(); parameter++) {
                    statement.setObject(parameter + 1, row.get(parameter));
                }
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    /**
     * A query's result and cost.
     *
     * @param millis from sending the statement to its last row
     * @param physicalInputBytes bytes that connectors read from storage
     */
    public record Measured(List<List<Object>> rows, double millis, long physicalInputBytes) {}

    @Override
    public void close() throws SQLException {
        http.close();
        connection.close();
    }
}
