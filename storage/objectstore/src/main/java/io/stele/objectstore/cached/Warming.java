package io.stele.objectstore.cached;

/**
 * The policies of warming on write: the data files whose pages enter the data page cache while they
 * are written. Their writer has the bytes already.
 */
public enum Warming {
    /** None. */
    NOTHING,
    /** All but those that take the place of others: what a flush writes, not what a merge does. */
    NEW_FILES,
    /**
     * These, and those that take the place of files of which most was in the cache: what was worth
     * keeping is likely to be so in its new place.
     */
    NEW_AND_HOT_FILES
}
