package io.stele.objectstore.cached;

/**
 * The policies of warming on write: the data files whose pages enter the data page cache while they
 * are written. Their writer has the bytes already.
 */
public enum WarmingPolicy {
    /** None. */
    NOTHING,
    /** New files, but not those that replace others: the output of flushes, not of compactions. */
    NEW_FILES,
    /**
     * New files, and those that replace files of which at least half of the bytes was in the cache:
     * data that was worth caching is likely to be so in its new place.
     */
    NEW_AND_HOT_FILES
}
