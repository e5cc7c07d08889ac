package io.stele.columnfile.index;

/**
 * The size, counts and key bounds of a finished key index.
 *
 * @param entryCount rows of the file it indexes
 * @param minKey smallest key, of length 0 if there is none
 */
public record KeyIndexSummary(
        long sizeBytes, long entryCount, long keyCount, byte[] minKey, byte[] maxKey) {}
