package io.stele.columnfile.index;

import java.util.OptionalInt;

/**
 * The size, counts and key bounds of a finished key index.
 *
 * @param entryCount rows of the file it indexes
 * @param metadataBytes from the metadata of the column file to the end of the index; empty if it
 *     has none
 * @param minKey smallest key, of length 0 if there is none
 */
public record KeyIndexSummary(
        long sizeBytes,
        OptionalInt metadataBytes,
        long entryCount,
        long keyCount,
        byte[] minKey,
        byte[] maxKey) {}
