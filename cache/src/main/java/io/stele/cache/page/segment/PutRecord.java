package io.stele.cache.page.segment;

import io.stele.cache.page.PageKey;

/**
 * A page, as a journal has it.
 *
 * @param table the number that the journal gave the table
 * @param units where its units lie, by their number in it; {@link PageEntries#NONE}: not here
 * @param frequency how often it was asked for, about, when this was written
 */
record PutRecord(PageKey key, int table, int length, int queue, int[] units, int frequency) {}
