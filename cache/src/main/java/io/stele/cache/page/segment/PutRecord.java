package io.stele.cache.page.segment;

import io.stele.cache.page.PageKey;

/**
 * A page, as a journal has it.
 *
 * @param table the number that the journal gave the table
 * @param mask its cached units, a bit each
 * @param places where the groups of its units lie ({@link Places}), by their number in it
 * @param frequency about how often it had been requested when this was written
 */
record PutRecord(PageKey key, int table, int queue, int mask, int[] places, int frequency) {}
