package io.stele.benchmarks.serving;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.serving.Contenders.Action;
import io.stele.benchmarks.serving.Contenders.Case;
import io.stele.benchmarks.serving.KeyLoad.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The phase of the serving benchmark that gets rows of a table ten times as large as both servers'
 * caches, which are made smaller for it. Both then read files, which the operating system has in
 * memory. Redis has no such setting, and keeps all rows.
 */
final class SmallMemoryPhase {
    private static final int TIMES_MEMORY = 10;
    private static final long ROW_BYTES = 1_050;

    private final ServingContext context;

    SmallMemoryPhase(ServingContext context) {
        this.context = requireNonNull(context, "context is null");
    }

    void run() throws Exception {
        int megabytes = (int) Math.max(2, context.size().rows() * ROW_BYTES / TIMES_MEMORY >> 20);
        configure(
                Map.of(
                        "stele.block-cache.size", megabytes - megabytes / 5 + "MB",
                        "stele.row-cache.size", Math.max(1, megabytes / 5) + "MB"));
        context.servers().restartSidecar();
        if (context.postgres().isPresent()) {
            context.postgres().orElseThrow().restart(megabytes);
        }
        Samples samples = new Samples();
        try (Contenders contenders = new Contenders(context)) {
            contenders.warmUp(Action.GET);
            for (Keys keys : Keys.values()) {
                contenders.measure(new Case(Action.GET, ServingSize.CLIENTS, keys), samples);
            }
        }
        samples.report("10x memory: ", context.metrics());
    }

    /** The next sidecar that is started has these settings. */
    private void configure(Map<String, String> settings) throws IOException {
        Path file = context.run().path("sidecar.etc").resolve("config.properties");
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        lines.removeIf(
                line -> settings.keySet().stream().anyMatch(key -> line.startsWith(key + "=")));
        settings.forEach((key, value) -> lines.add(key + "=" + value));
        Files.write(file, lines);
    }
}
