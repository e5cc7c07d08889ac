package io.stele.connector.read.prune;

import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.ScanPlan;

/** A lower bound on the number of a file's rows that are visible in a snapshot. Stateless. */
final class VisibleCount {
    private VisibleCount() {}

    /** The least number: 0 where rows are younger than the snapshot, or have expired. */
    static long of(FileScan file, ScanPlan plan) {
        boolean isFiltered = file.maxLsn() > plan.readLsn() || file.minLsn() < plan.fromLsn();
        return isFiltered ? 0 : file.rowCount() - file.deletedCount();
    }
}
