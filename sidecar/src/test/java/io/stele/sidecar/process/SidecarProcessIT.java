package io.stele.sidecar.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.sidecar.TestingSidecar;
import io.stele.testing.SidecarProcess;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The process as a launcher sees it: ports file, health, exit codes and the one line that says what
 * is wrong.
 */
final class SidecarProcessIT {
    @TempDir private Path directory;

    @Test
    void startsServesAndEndsOnSigterm() throws Exception {
        SidecarProcess process =
                SidecarProcess.launch(directory, TestingSidecar.properties(directory));
        SidecarProcess.Ports ports = process.awaitReady();
        try (HttpClient http = HttpClient.newHttpClient()) {
            URI info = URI.create("http://127.0.0.1:" + ports.http() + "/v1/info");
            String body =
                    http.send(HttpRequest.newBuilder(info).build(), BodyHandlers.ofString()).body();
            assertThat(body)
                    .contains(
                            "\"ready\":true",
                            "\"flightPort\":" + ports.flight(),
                            "\"clientPort\":" + ports.client());
        }
        assertThat(process.terminate()).isEqualTo(143);
        assertThat(directory.resolve("ports.json")).doesNotExist();
        assertThat(process.output()).doesNotContain(TestingSidecar.SECRET);
    }

    @Test
    void wrongSettingEndsTheProcessWithOneLine() throws Exception {
        Map<String, String> properties = TestingSidecar.properties(directory);
        properties.put("stele.flight.port", "70000");
        assertThat(failedStart(properties))
                .isEqualTo(
                        "Stele sidecar cannot start: stele.flight.port must be less than or equal to 65535, found '70000'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"stele.client.port", "stele.flight.port", "http-server.http.port"})
    void portInUseIsNamed(String property) throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Map<String, String> properties = TestingSidecar.properties(directory);
            properties.put(property, Integer.toString(taken.getLocalPort()));
            assertThat(failedStart(properties))
                    .contains(property)
                    .contains("expected a free port")
                    .contains(Integer.toString(taken.getLocalPort()));
        }
    }

    @Test
    void folderThatIsAFileIsNamed() throws Exception {
        Map<String, String> properties = TestingSidecar.properties(directory);
        Path file = Files.writeString(directory.resolve("a-file"), "");
        properties.put("stele.wal.path", file.toString());
        assertThat(failedStart(properties))
                .contains("stele.wal.path: expected a folder")
                .contains(file.toString());
    }

    @Test
    void logInUseIsNamed() throws Exception {
        try (TestingSidecar first = TestingSidecar.start(directory)) {
            assertThat(failedStart(TestingSidecar.properties(directory)))
                    .contains("stele.wal.path")
                    .contains("in use");
            assertThat(first.server().flightPort()).isPositive();
        }
    }

    private String failedStart(Map<String, String> properties) throws Exception {
        SidecarProcess process = SidecarProcess.launch(directory, properties);
        assertThat(process.awaitEnd()).isEqualTo(1);
        List<String> lines =
                process.output()
                        .lines()
                        .filter(line -> line.startsWith("Stele sidecar cannot start"))
                        .toList();
        assertThat(lines).hasSize(1);
        assertThat(directory.resolve("ports.json")).doesNotExist();
        return lines.get(0);
    }
}
