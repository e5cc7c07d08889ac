package io.stele.benchmarks.readwrite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What Linux accounts of the calling thread ({@code /proc/thread-self/schedstat}).
 *
 * @param cpuNanos on a processor
 * @param waitNanos ready to run, but without a processor: others had them
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
