package io.stele.sidecar;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.stele.sidecar.process.ServingState.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The file with the ports of the sidecar, for launchers: a JSON object with {@code nodeId}, {@code
 * pid}, {@code httpPort}, {@code flightPort}, {@code clientPort}, and {@code postgresqlPort} if
 * PostgreSQL's protocol is served.
 *
 * <p>Invariant: the file is absent or complete, and is there only while the sidecar serves (a
 * killed process leaves it behind: compare {@code pid}).
 */
final class PortsFile {
    private final Path path;

    PortsFile(Path path) {
        this.path = requireNonNull(path, "path is null").toAbsolutePath();
    }

    void write(String nodeId, Ports ports) {
        Map<String, Object> content = new LinkedHashMap<>();
        content.put("nodeId", nodeId);
        content.put("pid", ProcessHandle.current().pid());
        content.put("httpPort", ports.httpPort());
        content.put("flightPort", ports.flightPort());
        content.put("clientPort", ports.clientPort());
        ports.postgresqlPort().ifPresent(port -> content.put("postgresqlPort", port));
        Path temporary = path.resolveSibling(path.getFileName() + ".tmp");
        try {
            Files.createDirectories(requireNonNull(path.getParent(), "a file has a parent"));
            Files.write(temporary, JsonMapper.builder().build().writeValueAsBytes(content));
            Files.move(
                    temporary,
                    path,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "stele.ports-file: expected a path that can be written, found " + path, e);
        }
    }

    void delete() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot delete the ports file " + path, e);
        }
    }
}
