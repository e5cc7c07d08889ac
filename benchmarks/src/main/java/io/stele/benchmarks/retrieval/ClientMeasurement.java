package io.stele.benchmarks.retrieval;

/**
 * The results of one client's process in the retrieval benchmark: processor time, throughput and
 * latencies.
 *
 * @param cpuSecondsPerGiB user and system time of the whole process
 */
record ClientMeasurement(
        double cpuSecondsPerGiB, double mibPerSecond, double p50Millis, double p99Millis) {}
