package io.stele.distribution.installation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a heap that was not enough leaves, with the options that launchers give. */
final class HeapDumpIT {
    private static final Path HOME =
            Path.of(System.getProperty("stele.home", "../..")).toAbsolutePath();
    private static final String SCRIPT =
            """
            set -eu
            . "$1/bin/internal/options"
            heap_dumps "$2/etc" sidecar
            exec "$3" "${heap_dump[@]}" -Xmx16m -cp "$4" io.stele.distribution.installation.HeapThatEnds
            """;

    @TempDir private Path folder;

    @Test
    void theLastTwoDumpsAreKept() throws Exception {
        Files.createDirectories(folder.resolve("etc"));
        Path logs = Files.createDirectories(folder.resolve("var/log"));
        runOutOfMemory();
        assertEquals(List.of("sidecar-heap.hprof.gz"), names(logs));
        byte[] first = Files.readAllBytes(logs.resolve("sidecar-heap.hprof.gz"));
        assertTrue(first.length > 1_000, "a dump of " + first.length + " bytes");
        runOutOfMemory();
        runOutOfMemory();
        assertEquals(List.of("sidecar-heap-before.hprof.gz", "sidecar-heap.hprof.gz"), names(logs));
    }

    private void runOutOfMemory() throws Exception {
        Path output = folder.resolve("output.txt");
        Process process =
                new ProcessBuilder(
                                "bash",
                                "-c",
                                SCRIPT,
                                "bash",
                                HOME.toString(),
                                folder.toString(),
                                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                                Path.of("target/test-classes").toAbsolutePath().toString())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        try {
            assertTrue(process.waitFor(180, TimeUnit.SECONDS), "the program does not end");
        } finally {
            process.destroyForcibly();
        }
        String text = Files.readString(output, StandardCharsets.UTF_8);
        assertTrue(text.contains("OutOfMemoryError"), text);
        assertEquals(1, process.exitValue(), text);
    }

    private static List<String> names(Path logs) throws IOException {
        try (Stream<Path> files = Files.list(logs)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
