package io.stele.engine.tablet;

/**
 * A filter by LSN of the rows that compactions, index backfills and scans of row versions keep from
 * column files.
 *
 * @param retentionLsn only rows that ended later
 * @param expiredLsn of those, the ones at or above
 */
record KeptRows(long retentionLsn, long expiredLsn) {
    /**
     * Whether a row is kept. One that ended at its own LSN was never visible: that of a worker's
     * file, where the same transaction wrote the key otherwise. In a merged file it might come
     * before the row that is, and lookups by key take the first.
     *
     * @param endLsn the LSN from which it is not visible; {@link RetainedVersions#PRESENT} if it is
     */
    boolean contains(long lsn, long endLsn) {
        return endLsn > retentionLsn && endLsn > lsn && lsn >= expiredLsn;
    }
}
