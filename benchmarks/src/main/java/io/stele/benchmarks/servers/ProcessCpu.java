package io.stele.benchmarks.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A reader of the CPU time of another process, as Linux accounts it. */
public final class ProcessCpu {
    /** Linux reports in ticks of USER_HZ, which is 100 on every architecture that Java runs on. */
    private static final long TICK_NANOS = 10_000_000;

    /** Position of utime behind the parenthesised command name in /proc/PID/stat; stime follows. */
    private static final int UTIME_FIELD = 11;

    private ProcessCpu() {}

    /** User and system time of all threads of the process so far, in nanoseconds, to 10 ms. */
    public static long nanos(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[UTIME_FIELD]) + Long.parseLong(fields[UTIME_FIELD + 1]))
                * TICK_NANOS;
    }
}
