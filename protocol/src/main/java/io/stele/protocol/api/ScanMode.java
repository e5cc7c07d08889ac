package io.stele.protocol.api;

/**
 * The kinds of read of a Flight DoGet: rows of a shard, a lookup, a change scan or an aggregation.
 */
public enum ScanMode {
    /**
     * What is only in memory at the read point: the caller reads the files of the scan plan itself.
     */
    LIVE,
    /** Everything of the shard at the read point. */
    SNAPSHOT,
    /**
     * The rows that the predicate wants. In one shard they are found by the secondary index whose
     * columns it all gives values; without a shard by the primary key, or by the unique index,
     * whose columns it all gives values. SNAPSHOT where there is no such index any more.
     */
    LOOKUP,
    /**
     * What happened to rows after an earlier LSN, up to the read point: of each change the row, or
     * the row as it was when it was deleted; as {@link HiddenColumns#LSN} when that was, and as
     * {@link HiddenColumns#ROW_ID} the {@link ChangeKind#code}.
     */
    CHANGES,
    /**
     * Not rows but what an aggregation makes of all rows of the table that the predicate has, which
     * then is exact.
     */
    AGGREGATE
}
