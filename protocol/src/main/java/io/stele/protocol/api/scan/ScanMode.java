package io.stele.protocol.api.scan;

/**
 * The kinds of read of a Flight DoGet: rows of a shard, a lookup, a change scan or an aggregation.
 */
public enum ScanMode {
    /**
     * Only the rows in memory at the snapshot: the caller reads the files of the scan plan itself.
     */
    LIVE,
    /** All rows of the shard at the snapshot. */
    SNAPSHOT,
    /**
     * The rows that the predicate wants. In one shard they are found by the secondary index whose
     * columns it all gives values; without a shard by the primary key, or by the unique index,
     * whose columns it all gives values. SNAPSHOT where there is no such index any more.
     */
    LOOKUP,
    /**
     * The changes of rows after an earlier LSN, up to the snapshot, in the order of their LSNs.
     * Each has the row, or the row as it was when it was deleted. {@link HiddenColumns#LSN} is the
     * change's LSN, and {@link HiddenColumns#ROW_ID} its {@link ChangeKind#code}.
     */
    CHANGES,
    /**
     * Not rows but what an aggregation makes of all rows of the table that the predicate has, which
     * then is exact.
     */
    AGGREGATE
}
