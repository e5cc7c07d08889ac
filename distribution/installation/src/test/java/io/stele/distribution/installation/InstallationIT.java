package io.stele.distribution.installation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.stele.testing.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the commands of docs/operations.md, sections "Install" and "Start and stop", one after the
 * other in one folder, as a reader would, with the zips of this build and a real Trino. Only ports
 * differ.
 */
final class InstallationIT {
    private static final Path HOME = Path.of(System.getProperty("stele.home", "../.."));
    private static final Path BUILT = HOME.resolve("distribution/target").toAbsolutePath();
    private static final String SECRET = "a secret of this test's own";
    private static final long LIMIT_SECONDS = 600; // for a command on a busy machine

    @TempDir private Path folder;

    private final List<Integer> ports = new ArrayList<>();
    private Path trinoHome;
    private Process trino;

    @BeforeEach
    void layOut() throws IOException {
        for (int i = 0; i < 4; i++) {
            ports.add(FreePorts.find());
        }
        for (String zip : List.of("stele-sidecar", "stele-plugin")) {
            Path built = built(zip);
            Files.createSymbolicLink(folder.resolve(built.getFileName()), built);
        }
        trinoHome = folder.resolve("trino");
        Files.createDirectories(trinoHome.resolve("plugin"));
        Files.createDirectories(trinoHome.resolve("etc/catalog"));
    }

    @AfterEach
    void stop() throws Exception {
        if (trino != null) {
            trino.destroy();
            trino.waitFor();
        }
        try (Stream<Path> installed = Files.list(folder)) {
            for (Path sidecar :
                    installed
                            .filter(path -> Files.exists(path.resolve("bin/stele-sidecar")))
                            .toList()) {
                shell("bin/stele-sidecar stop", sidecar);
            }
        }
    }

    @Test
    void theCommandsOfTheDocumentationInstallWhatServes() throws Exception {
        List<String> blocks = blocks("Install");
        assertEquals(4, blocks.size(), "unpack, start, plugin and query");

        shell(blocks.get(0), folder);
        Path sidecar = only("stele-sidecar-*");
        for (String file : List.of("LICENSE", "NOTICE", "README.md")) {
            assertTrue(Files.isRegularFile(sidecar.resolve(file)), file);
        }
        setPorts(sidecar.resolve("etc/config.properties"));

        String status = shell(blocks.get(1), sidecar);
        assertTrue(status.contains("\"ready\":true"), status);
        assertFalse(status.contains("\"version\":\"unknown\""), status);
        assertTrue(
                Files.isDirectory(sidecar.resolve("var/warehouse"))
                        && Files.isDirectory(sidecar.resolve("var/wal")),
                "data is below the installation, wherever it is started from");
        String log = Files.readString(sidecar.resolve("var/log/sidecar.log"));
        assertFalse(log.contains("\u001b["), "a log file has no colours");
        assertFalse(log.contains(SECRET), "the log has no secrets");

        shell(blocks.get(2), folder);
        Path plugin = trinoHome.resolve("plugin/stele");
        for (String file : List.of("LICENSE", "NOTICE", "README.md")) {
            assertTrue(Files.isRegularFile(plugin.resolve(file)), file);
        }
        startTrino();

        assertEquals("\"1\",\"chisel\"", shell(blocks.get(3), folder).strip());

        // What is acknowledged is there after a restart from another folder.
        shell(sidecar + "/bin/stele-sidecar stop", folder);
        shell(sidecar + "/bin/stele-sidecar start", folder);
        assertEquals("\"1\"", query("SELECT count(*) FROM stele.first.items"));

        // So it is by hand.
        shell(sidecar + "/bin/stele-sidecar stop", folder);
        List<String> byHand = blocks("Start and stop");
        assertEquals(1, byHand.size(), "the JVM by hand");
        Process java = begin(byHand.getFirst(), sidecar, folder.resolve("by-hand.txt"));
        try {
            awaitReady(java);
            assertEquals("\"1\"", query("SELECT count(*) FROM stele.first.items"));
        } finally {
            java.descendants().forEach(ProcessHandle::destroy);
            java.destroy();
            java.waitFor();
        }
    }

    private void awaitReady(Process java) throws Exception {
        shell(
                """
                until curl --silent http://127.0.0.1:8480/v1/info | grep -q '"ready":true'; do
                    kill -0 %d
                    sleep 0.3
                done
                """
                        .formatted(java.pid()),
                folder);
    }

    /** The fenced commands of a section, in their order. */
    private static List<String> blocks(String section) throws IOException {
        String text = Files.readString(HOME.resolve("docs/operations.md"));
        int begin = text.indexOf("## " + section + "\n");
        int end = text.indexOf("\n## ", begin + 1);
        assertTrue(begin >= 0 && end > begin, "docs/operations.md has a section " + section);
        List<String> blocks = new ArrayList<>();
        Matcher fence =
                Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL)
                        .matcher(text.substring(begin, end));
        while (fence.find()) {
            blocks.add(fence.group(1));
        }
        return blocks;
    }

    private String shell(String commands, Path where) throws Exception {
        Path out = Files.createTempFile(folder, "out", ".txt");
        Path err = Files.createTempFile(folder, "err", ".txt");
        Process process =
                processOf(commands, where)
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        assertEquals(0, process.waitFor(), () -> commands + "\n" + read(out) + "\n" + read(err));
        return Files.readString(out);
    }

    /** Starts commands that go on until they are ended. */
    private Process begin(String commands, Path where, Path output) throws IOException {
        return processOf(commands, where)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    private ProcessBuilder processOf(String commands, Path where) {
        ProcessBuilder builder =
                new ProcessBuilder("bash", "-eu", "-o", "pipefail", "-c", withPorts(commands))
                        .directory(where.toFile());
        builder.environment().put("STELE_SHARED_SECRET", SECRET);
        builder.environment().put("TRINO_HOME", trinoHome.toString());
        builder.environment()
                .put(
                        "PATH",
                        Path.of(System.getProperty("java.home"), "bin")
                                + ":"
                                + System.getenv("PATH"));
        return builder;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private String query(String sql) throws Exception {
        return shell(
                        "java -jar \"$TRINO_HOME\"/trino-cli.jar --server http://127.0.0.1:8080 --execute \""
                                + sql
                                + "\"",
                        folder)
                .strip();
    }

    /** The documentation's ports, by ours. */
    private String withPorts(String text) {
        return text.replace("127.0.0.1:8480", "127.0.0.1:" + ports.get(0))
                .replace("127.0.0.1:8080", "127.0.0.1:" + ports.get(3));
    }

    private void setPorts(Path config) throws IOException {
        String text = Files.readString(config);
        String changed =
                text.replace("http-server.http.port=8480", "http-server.http.port=" + ports.get(0))
                        .replace("stele.flight.port=8481", "stele.flight.port=" + ports.get(1))
                        .replace("stele.client.port=8482", "stele.client.port=" + ports.get(2));
        Files.writeString(config, changed);
    }

    private void startTrino() throws Exception {
        Path etc = trinoHome.resolve("etc");
        for (String file : List.of("jvm.config", "log.properties", "node.properties")) {
            String text = Files.readString(HOME.resolve("etc").resolve(file));
            Files.writeString(etc.resolve(file), text.replace(".stele/trino", trinoHome + "/data"));
        }
        Files.writeString(
                etc.resolve("config.properties"),
                """
                coordinator=true
                node-scheduler.include-coordinator=true
                http-server.http.port=%d
                http-server.log.enabled=false
                discovery.uri=http://127.0.0.1:%1$d
                plugin.dir=%s
                catalog.config-dir=%s
                """
                        .formatted(
                                ports.get(3), trinoHome.resolve("plugin"), etc.resolve("catalog")));
        Files.createSymbolicLink(
                trinoHome.resolve("trino-cli.jar"), BUILT.resolve("trino/cli/trino-cli.jar"));
        Path log = trinoHome.resolve("trino.log");
        ProcessBuilder builder =
                new ProcessBuilder(
                                HOME.toAbsolutePath()
                                        .resolve("bin/internal/trino-launch")
                                        .toString(),
                                etc.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile());
        builder.environment().put("STELE_SHARED_SECRET", SECRET);
        trino = builder.start();
        shell(
                """
                until curl --silent --fail http://127.0.0.1:8080/v1/info | grep -q '"starting":false'; do
                    kill -0 %d
                    sleep 0.3
                done
                """
                        .formatted(trino.pid()),
                folder);
    }

    private Path only(String name) throws IOException {
        List<Path> found = new ArrayList<>();
        try (var stream = Files.newDirectoryStream(folder, name)) {
            stream.forEach(
                    path -> {
                        if (Files.isDirectory(path)) {
                            found.add(path);
                        }
                    });
        }
        assertEquals(1, found.size(), name + ": " + found);
        return found.getFirst();
    }

    /** The zip of a part, as the build made it. */
    static Path built(String name) throws IOException {
        try (Stream<Path> files = Files.list(BUILT)) {
            return files.filter(
                            path ->
                                    path.getFileName().toString().startsWith(name)
                                            && path.toString().endsWith(".zip"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no " + name + "-*.zip in " + BUILT));
        }
    }
}
