package io.stele.benchmarks.writeamp;

/**
 * What a store wrote for a workload, in bytes, and the files it ended with.
 *
 * @param otherBytes manifests and delete vectors
 */
record Written(long logBytes, long flushBytes, long mergeBytes, long otherBytes, long fileBytes) {
    long totalBytes() {
        return logBytes + flushBytes + mergeBytes + otherBytes;
    }

    double spaceOf(Workload workload) {
        return (double) fileBytes / workload.liveBytes();
    }
}
