package io.stele.columnfile.index;

import java.util.OptionalInt;

/**
 * The size, counts and key bounds of a finished key index.
 *
 * @param entryCount rows of the column file
 * @param metadataBytes from the metadata of the column file to the end of the index; empty if it
 *     has no metadata
 * @param minKey smallest key, of length 0 if the index is empty
 */
public record KeyIndexSummary(
        long sizeBytes,
        OptionalInt metadataBytes,
        long entryCount,
        long keyCount,
        byte[] minKey,
        byte[] maxKey) {}
