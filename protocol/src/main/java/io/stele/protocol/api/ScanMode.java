package io.stele.protocol.api;

/** Which rows of a shard a DoGet returns. */
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
    LOOKUP
}
