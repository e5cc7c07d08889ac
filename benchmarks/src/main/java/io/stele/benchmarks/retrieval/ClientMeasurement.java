package io.stele.benchmarks.retrieval;

/**
 * What one client's process found.
 *
 * @param cpuSecondsPerGiB user and system time of the whole process
 */
record ClientMeasurement(
        double cpuSecondsPerGiB, double mibPerSecond, double p50Millis, double p99Millis) {}
