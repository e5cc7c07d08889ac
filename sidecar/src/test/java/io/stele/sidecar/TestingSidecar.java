package io.stele.sidecar;

import io.stele.client.ClientSettings;
import io.stele.client.SteleClient;
import io.stele.client.auth.TokenSource;
import io.stele.client.flight.FlightClient;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateSchemaRequest;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.engine.EngineService;
import io.stele.testing.FreePorts;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A sidecar inside the test's JVM, on free ports and the folders of the test, with what talks to
 * it.
 */
public final class TestingSidecar implements AutoCloseable {
    public static final String SECRET = "the secret of the tests";

    private final SidecarServer server;
    private final FlightClient flight;

    private TestingSidecar(SidecarServer server) {
        this.server = server;
        this.flight = newFlight();
    }

    public static TestingSidecar start(Path directory) {
        return start(directory, Map.of());
    }

    public static TestingSidecar start(Path directory, Map<String, String> more) {
        Map<String, String> properties = properties(directory);
        properties.putAll(more);
        return new TestingSidecar(SidecarServer.start(properties));
    }

    /**
     * The {@link #properties} with ports that stay free while the sidecar is down, for tests that
     * start it again where clients look for it.
     */
    public static Map<String, String> propertiesOfFixedPorts(Path directory) {
        Map<String, String> properties = properties(directory);
        for (String port :
                List.of("http-server.http.port", "stele.flight.port", "stele.client.port")) {
            properties.put(port, Integer.toString(FreePorts.find()));
        }
        return properties;
    }

    /** The least a sidecar needs; every port is a free one. */
    public static Map<String, String> properties(Path directory) {
        Map<String, String> properties = new HashMap<>();
        properties.put("stele.shared-secret", SECRET);
        properties.put("stele.warehouse.path", directory.resolve("warehouse").toString());
        properties.put("stele.wal.path", directory.resolve("wal").toString());
        properties.put("http-server.http.port", "0");
        properties.put("stele.flight.port", "0");
        properties.put("stele.client.port", "0");
        return properties;
    }

    public static TokenSource tokens(String secret) {
        return new TokenSource(secret, Clock.systemUTC(), "test");
    }

    public SidecarServer server() {
        return server;
    }

    public EngineService engine() {
        return server.engine();
    }

    /** Our own Flight client, with the right secret. */
    public FlightClient flight() {
        return flight;
    }

    /** Another one, over a connection of its own. */
    public FlightClient newFlight() {
        return new FlightClient("127.0.0.1", server.flightPort(), Optional.empty(), tokens(SECRET));
    }

    public SteleClient client() {
        return client(ClientSettings.DEFAULT);
    }

    public SteleClient client(ClientSettings settings) {
        return SteleClient.builder()
                .settings(settings)
                .endpoint("127.0.0.1", server.clientPort())
                .secret(SECRET)
                .build();
    }

    public TableDescription createTable(TableSchema schema) {
        return createTable(flight, schema);
    }

    /** Creates tables in any sidecar. */
    public static void createTables(int flightPort, TableSchema... schemas) {
        try (FlightClient flight =
                new FlightClient("127.0.0.1", flightPort, Optional.empty(), tokens(SECRET))) {
            for (TableSchema schema : schemas) {
                createTable(flight, schema);
            }
        }
    }

    /** Creates a table, and its schema where it is missing, by a client of any sidecar. */
    public static TableDescription createTable(FlightClient flight, TableSchema schema) {
        flight.action(
                CatalogActions.CREATE_SCHEMA, new CreateSchemaRequest(schema.schemaName(), true));
        return flight.action(
                CatalogActions.CREATE_TABLE, new CreateTableRequest(schema, "", false, false));
    }

    @Override
    public void close() {
        flight.close();
        server.close();
    }
}
