package io.stele.engine.row;

/**
 * A filter by LSN of the rows that compactions, index backfills and scans of row versions keep from
 * column files.
 *
 * @param retentionLsn only rows that became obsolete above it are kept
 * @param expiredLsn only rows at or above it are kept
 */
public record RetainedRows(long retentionLsn, long expiredLsn) {
    /**
     * Whether a row is retained. A row that became obsolete at its own LSN was never visible: it is
     * in a worker's file, and the same transaction also wrote its key elsewhere. In a compacted
     * file it might come before the visible row, and lookups by key take the first.
     *
     * @param endLsn the LSN from which the row is not visible; {@link RetainedVersions#PRESENT} if
     *     it is visible
     */
    public boolean contains(long lsn, long endLsn) {
        return endLsn > retentionLsn && endLsn > lsn && lsn >= expiredLsn;
    }
}
