package io.stele.benchmarks.writeamp;

/**
 * The bytes that a store wrote for the workload of the write amplification benchmark, and those of
 * the files it ended with.
 *
 * @param otherBytes manifests and deletion vectors
 */
record Written(long logBytes, long flushBytes, long mergeBytes, long otherBytes, long fileBytes) {
    long totalBytes() {
        return logBytes + flushBytes + mergeBytes + otherBytes;
    }

    double spaceOf(Workload workload) {
        return (double) fileBytes / workload.liveBytes();
    }
}
