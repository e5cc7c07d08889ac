package io.stele.benchmarks.readwrite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The processor and waiting times of the calling thread, as Linux accounts them in {@code
 * /proc/thread-self/schedstat}.
 *
 * @param cpuNanos on a processor
 * @param waitNanos ready to run, but without a processor: other threads had them
 */
record ThreadTimes(long cpuNanos, long waitNanos) {
    private static final Path SCHEDSTAT = Path.of("/proc/thread-self/schedstat");

    static ThreadTimes now() throws IOException {
        String[] fields = Files.readString(SCHEDSTAT).strip().split(" ");
        return new ThreadTimes(Long.parseLong(fields[0]), Long.parseLong(fields[1]));
    }

    ThreadTimes since(ThreadTimes before) {
        return new ThreadTimes(cpuNanos - before.cpuNanos, waitNanos - before.waitNanos);
    }
}
