package io.stele.objectstore.cached;

/**
 * The policies of warming on write: the data files whose pages enter the data page cache while they
 * are written. Warming needs no reads of the store, because the writer has the bytes.
 */
public enum WarmingPolicy {
    /** None. */
    NOTHING,
    /** New files, but not those that replace others: the output of flushes, not of compactions. */
    NEW_FILES,
    /**
     * New files, and files that replace files of which at least half of the bytes was cached. Data
     * that was worth caching probably still is after a compaction.
     */
    NEW_AND_HOT_FILES
}
