package io.stele.protocol.api.scan;

/**
 * The kinds of reads of a Flight DoGet: rows of a shard, a lookup, a change scan or an aggregation.
 */
public enum ScanMode {
    /**
     * Only the rows in memory at the snapshot: the caller reads the files of the scan plan itself.
     */
    LIVE,
    /** All rows of the shard at the snapshot. */
    SNAPSHOT,
    /**
     * The rows that match the predicate, which has values for all columns of a key. In one shard,
     * that is a secondary index. Without a shard, it is the primary key or a unique index. Works as
     * SNAPSHOT if the index does not exist any more.
     */
    LOOKUP,
    /**
     * The changes of rows after an earlier LSN, up to the snapshot, in the order of their LSNs.
     * Each has the row, or the row as it was when it was deleted. {@link HiddenColumns#LSN} is the
     * change's LSN, and {@link HiddenColumns#ROW_ID} its {@link ChangeKind#code}.
     */
    CHANGES,
    /**
     * The results of an aggregation of all rows of the table that match the predicate, which must
     * be exact.
     */
    AGGREGATE
}
