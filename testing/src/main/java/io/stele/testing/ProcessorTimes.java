package io.stele.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * The processor time of each test class, written as lines {@code class seconds} to {@code
 * target/processor-times}. Test processes run side by side, so that the wall time of a class
 * depends more on its neighbours than on itself. Processes that a test starts are not counted.
 *
 * <p>Each process runs one class at a time; the launcher calls from that thread.
 */
public final class ProcessorTimes implements TestExecutionListener {
    private static final Path FILE = Path.of("target", "processor-times");

    private final OperatingSystemMXBean process =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private @Nullable String running;
    private long startedNanos;

    @Override
    public void executionStarted(TestIdentifier test) {
        if (running == null && test.getSource().orElse(null) instanceof ClassSource source) {
            running = source.getClassName();
            startedNanos = process.getProcessCpuTime();
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        String name = running;
        if (name == null
                || !(test.getSource().orElse(null) instanceof ClassSource source)
                || !source.getClassName().equals(name)) {
            return;
        }
        running = null;
        long nanos = process.getProcessCpuTime() - startedNanos;
        try {
            Files.writeString(
                    FILE,
                    "%s %.1f%n".formatted(name, nanos / 1e9),
                    UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
