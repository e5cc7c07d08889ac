package io.stele.connector;

import io.stele.client.SteleClient;
import io.stele.client.auth.TokenSource;
import io.stele.client.flight.FlightClient;
import io.stele.protocol.api.Action;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.SidecarServer;
import io.stele.testing.FreePorts;
import io.stele.testing.LiveFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A real sidecar in this JVM, with a folder of its own; it keeps its HTTP port when it is
 * restarted.
 */
public final class SidecarFixture implements AutoCloseable {
    public static final String SECRET = "a secret of the connector's tests";

    private final Path directory;
    private final Map<String, String> more;
    private final int httpPort;
    private SidecarServer server;

    public SidecarFixture(Path directory) {
        this(directory, Map.of());
    }

    /** With further properties of the sidecar. */
    public SidecarFixture(Path directory, Map<String, String> more) {
        this.directory = directory;
        this.more = Map.copyOf(more);
        this.httpPort = FreePorts.find();
        this.server = start();
    }

    /** What a catalog file for this sidecar says. */
    public Map<String, String> catalogProperties() {
        return Map.of("stele.sidecar.uri", uri(), "stele.shared-secret", SECRET);
    }

    public String uri() {
        return "http://127.0.0.1:" + httpPort;
    }

    public int flightPort() {
        return server.flightPort();
    }

    public int clientPort() {
        return server.clientPort();
    }

    /** Of PostgreSQL's protocol, which the properties have asked for. */
    public int postgresqlPort() {
        return server.postgresqlPort().orElseThrow();
    }

    public void stop() {
        server.close();
    }

    public void restart() {
        server.close();
        server = start();
    }

    public void startAgain() {
        server = start();
    }

    /** Moves what is in memory into files. */
    public void flush(String schema, String table) {
        run(MaintenanceActions.FLUSH, schema, table);
    }

    public void compact(String schema, String table) {
        run(MaintenanceActions.COMPACT, schema, table);
    }

    public SteleClient client() {
        return SteleClient.builder()
                .endpoint("127.0.0.1", server.clientPort())
                .secret(SECRET)
                .build();
    }

    /** The folder of the warehouse. */
    public Path warehouse() {
        return directory.resolve("warehouse");
    }

    /** The files of tables that are in the warehouse now, whatever refers to them. */
    public List<Path> dataFiles() {
        Path data = warehouse().resolve("data");
        if (!Files.isDirectory(data)) {
            return List.of();
        }
        try {
            return LiveFolder.files(data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Creates a table that SQL would not: with types that only older versions gave columns. */
    public void createTable(TableSchema table) {
        try (FlightClient flight = flight()) {
            flight.action(
                    CatalogActions.CREATE_TABLE, new CreateTableRequest(table, "", false, false));
        }
    }

    private void run(Action<TableRequest, Done> action, String schema, String table) {
        try (FlightClient flight = flight()) {
            flight.action(action, TableRequest.of(schema, table));
        }
    }

    private FlightClient flight() {
        return new FlightClient(
                "127.0.0.1",
                server.flightPort(),
                Optional.empty(),
                new TokenSource(SECRET, Clock.systemUTC(), "test"));
    }

    private SidecarServer start() {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("stele.warehouse.path", directory.resolve("warehouse").toString());
        properties.put("stele.wal.path", directory.resolve("wal").toString());
        properties.put("stele.shared-secret", SECRET);
        properties.put("http-server.http.port", Integer.toString(httpPort));
        properties.put("stele.flight.port", "0");
        properties.put("stele.client.port", "0");
        properties.putAll(more);
        return SidecarServer.start(properties);
    }

    @Override
    public void close() {
        server.close();
    }
}
