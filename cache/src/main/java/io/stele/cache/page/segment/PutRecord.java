package io.stele.cache.page.segment;

import io.stele.cache.page.PageKey;

/**
 * A page's record in the journal of a cache directory, from which a start restores the page.
 *
 * @param table the number of the table in the journal
 * @param mask the cached units, one bit each
 * @param places the {@link Places} of its groups of units, by group number
 * @param frequency the approximate number of requests before this was written
 */
record PutRecord(PageKey key, int table, int queue, int mask, int[] places, int frequency) {}
