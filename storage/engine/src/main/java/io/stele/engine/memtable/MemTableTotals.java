package io.stele.engine.memtable;

import io.stele.engine.row.KeyedVersion;

/**
 * The running totals of a memtable (bytes, versions, bounds of LSNs), written by its one writer and
 * read by any thread.
 */
final class MemTableTotals {
    private volatile long sizeBytes;
    private volatile long versionCount;
    private volatile long minLogLsn = Long.MAX_VALUE;
    private volatile long maxLsn;

    void add(KeyedVersion version, long logLsn) {
        add(version.lsn(), logLsn, version.memoryBytes());
    }

    /**
     * @param lsn of the version
     * @param memoryBytes the memory of the version, in bytes
     */
    // One writer: plain read-modify-write of a volatile is exact.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    void add(long lsn, long logLsn, int memoryBytes) {
        if (lsn < maxLsn) {
            throw new IllegalStateException(
                    "Expected an LSN of at least " + maxLsn + " in a memtable, found " + lsn);
        }
        maxLsn = lsn;
        minLogLsn = Math.min(minLogLsn, logLsn);
        sizeBytes += memoryBytes;
        versionCount++;
    }

    long sizeBytes() {
        return sizeBytes;
    }

    long versionCount() {
        return versionCount;
    }

    long minLogLsn() {
        return minLogLsn;
    }

    long maxLsn() {
        return maxLsn;
    }
}
