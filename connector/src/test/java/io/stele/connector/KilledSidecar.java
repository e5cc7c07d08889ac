package io.stele.connector;

import static java.util.Objects.requireNonNull;

import io.stele.testing.FreePorts;
import io.stele.testing.SidecarProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * A sidecar in a process of its own that is killed and started again, at the same HTTP port.
 * Confined to one thread.
 */
final class KilledSidecar implements AutoCloseable {
    private final Path directory;
    private final Map<String, String> more;
    private final String heap;
    private final int httpPort;
    private SidecarProcess process;

    private KilledSidecar(Path directory, Map<String, String> more, String heap, int httpPort)
            throws IOException {
        this.directory = requireNonNull(directory, "directory is null");
        this.more = Map.copyOf(more);
        this.heap = requireNonNull(heap, "heap is null");
        this.httpPort = httpPort;
        this.process = launch();
    }

    /**
     * Starts one and waits until it serves.
     *
     * @param more properties of it
     * @param heap as {@code -Xmx} takes it
     */
    static KilledSidecar start(Path directory, Map<String, String> more, String heap)
            throws IOException {
        Files.createDirectories(directory);
        KilledSidecar sidecar = new KilledSidecar(directory, more, heap, FreePorts.find());
        sidecar.process.awaitReady();
        return sidecar;
    }

    /** What a catalog file for this sidecar says. */
    Map<String, String> catalogProperties() {
        return Map.of(
                "stele.sidecar.uri",
                "http://127.0.0.1:" + httpPort,
                "stele.shared-secret",
                SidecarFixture.SECRET);
    }

    /** SIGKILL. */
    void kill() {
        process.kill();
    }

    /** Starts it again and waits until it serves. */
    void startAgain() throws IOException {
        process = launch();
        process.awaitReady();
    }

    private SidecarProcess launch() throws IOException {
        Map<String, String> properties = new HashMap<>();
        properties.put("stele.warehouse.path", directory.resolve("warehouse").toString());
        properties.put("stele.wal.path", directory.resolve("wal").toString());
        properties.put("stele.shared-secret", SidecarFixture.SECRET);
        properties.put("http-server.http.port", Integer.toString(httpPort));
        properties.put("stele.flight.port", "0");
        properties.put("stele.client.port", "0");
        properties.putAll(more);
        return SidecarProcess.launch(directory, properties, heap);
    }

    @Override
    public void close() {
        process.kill();
    }
}
