package io.stele.benchmarks.serving;

import java.time.Duration;
import java.util.List;

/**
 * The sizes of a serving benchmark's run: rows, rounds, durations and clients.
 *
 * @param rows rows of 1 KB
 * @param rounds of which medians are taken
 * @param duration of one measurement of a round
 * @param clients how many at the same time; 1 and 32 among them
 * @param branches a pgbench branch has 100,000 accounts; COPY loads them
 * @param ycsbRecords rows of YCSB's table
 * @param ycsbOperations operations of one of its workloads
 * @param ycsbScans the same of workload E
 */
record ServingSize(
        boolean quick,
        long rows,
        int rounds,
        Duration duration,
        List<Integer> clients,
        int branches,
        int ycsbRecords,
        int ycsbOperations,
        int ycsbScans) {
    /** What the targets name. */
    static final int CLIENTS = 32;

    ServingSize {
        clients = List.copyOf(clients);
    }

    /**
     * @param scale the part of a full run's times and of the rows that are loaded by COPY and by
     *     YCSB; a quick run has its own
     */
    static ServingSize of(boolean quick, double scale) {
        return quick
                ? new ServingSize(
                        true,
                        5_000,
                        1,
                        Duration.ofMillis(300),
                        List.of(1, CLIENTS),
                        1,
                        500,
                        200,
                        100)
                : new ServingSize(
                        false,
                        200_000, // fits the caches of etc/
                        3,
                        Duration.ofMillis(Math.max(300, (long) (2_000 * scale))),
                        List.of(1, 8, CLIENTS, 128),
                        (int) Math.max(1, 50 * scale), // 5 M rows
                        (int) (100_000 * scale),
                        (int) (200_000 * scale),
                        (int) (20_000 * scale));
    }

    /** pgbench counts in seconds, those of logins included. */
    int seconds() {
        return (int) duration.toSeconds() + 1;
    }
}
