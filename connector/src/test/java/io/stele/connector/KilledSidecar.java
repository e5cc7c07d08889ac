package io.stele.connector;

import static java.util.Objects.requireNonNull;

import io.stele.testing.SidecarProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * A sidecar in a process of its own that is killed and started again, at the same HTTP port.
 * Confined to one thread.
 */
final class KilledSidecar implements AutoCloseable {
    private final Path directory;
    private final int httpPort;
    private SidecarProcess process;

    private KilledSidecar(Path directory, int httpPort) throws IOException {
        this.directory = requireNonNull(directory, "directory is null");
        this.httpPort = httpPort;
        this.process = launch();
    }

    /** Starts one and waits until it serves. */
    static KilledSidecar start(Path directory) throws IOException {
        Files.createDirectories(directory);
        KilledSidecar sidecar = new KilledSidecar(directory, SidecarFixture.freePort());
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
        return SidecarProcess.launch(
                directory,
                Map.of(
                        "stele.warehouse.path",
                        directory.resolve("warehouse").toString(),
                        "stele.wal.path",
                        directory.resolve("wal").toString(),
                        "stele.shared-secret",
                        SidecarFixture.SECRET,
                        "http-server.http.port",
                        Integer.toString(httpPort),
                        "stele.flight.port",
                        "0",
                        "stele.client.port",
                        "0"));
    }

    @Override
    public void close() {
        process.kill();
    }
}
