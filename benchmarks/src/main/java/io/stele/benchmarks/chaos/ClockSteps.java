package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * A fault injector for the sidecar's clock, which reads its error from a file. Confined to one
 * thread.
 */
final class ClockSteps {
    private static final String PROPERTY = "stele.testing.clock-offset-file";

    private static final Duration MIN_STEP = Duration.ofMinutes(1);
    private static final Duration MAX_STEP = Duration.ofMinutes(10);

    private final Path file;

    private ClockSteps(Path file) {
        this.file = requireNonNull(file, "file is null");
    }

    /** Gives the sidecar of a run such a clock, from its next start on. */
    static ClockSteps install(Run run) throws IOException {
        Path file = run.path("state").resolve("clock-offset");
        ClockSteps steps = new ClockSteps(file);
        steps.step(Duration.ZERO);
        Files.writeString(
                run.path("sidecar.etc").resolve("jvm.config"),
                "-D%s=%s%n".formatted(PROPERTY, file),
                StandardOpenOption.APPEND);
        return steps;
    }

    /**
     * A step ahead or back, which neither authentication nor a lease should take for the passing of
     * time.
     *
     * @param strength from 0, the farthest back, to 1, the farthest ahead
     */
    static Duration offset(double strength) {
        double range = MAX_STEP.toMillis() - MIN_STEP.toMillis();
        double distance = MIN_STEP.toMillis() + Math.abs(2 * strength - 1) * range;
        return Duration.ofMillis(Math.round(strength < 0.5 ? -distance : distance));
    }

    /** From now on the clock is that far from the machine's. */
    void step(Duration offset) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(draft, offset.toMillis() + "\n");
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
