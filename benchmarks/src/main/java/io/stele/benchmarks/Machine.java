package io.stele.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A description of the machine that a benchmark's numbers were measured on, for its report. */
public final class Machine {
    private Machine() {}

    public static String describe() {
        return "%d cores (%s), %d GiB, load average %.1f, Java %s"
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        processor(),
                        memoryBytes() >> 30,
                        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
                        Runtime.version());
    }

    /** CPU time of this process so far, all threads, in nanoseconds. */
    public static long processCpuNanos() {
        if (ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean system) {
            return system.getProcessCpuTime();
        }
        throw new IllegalStateException("This Java runtime does not report process CPU time");
    }

    /** Heap of this process in use, after garbage was collected. */
    public static long heapBytes() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static long memoryBytes() {
        if (ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean system) {
            return system.getTotalMemorySize();
        }
        return 0;
    }

    private static String processor() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown processor");
        } catch (IOException e) {
            return System.getProperty("os.arch", "unknown processor");
        }
    }
}
