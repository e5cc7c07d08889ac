package io.stele.columnfile.index;

import io.stele.protocol.Lsn;

/**
 * The size, counts and bounds of a finished SST file.
 *
 * @param entryCount versions, deletions included
 * @param keyCount distinct keys
 * @param minKey smallest key, of length 0 in an empty file
 * @param minLsn {@link Lsn#MAX} in an empty file
 * @param maxLsn {@link Lsn#MIN} in an empty file
 */
public record SstFileSummary(
        long sizeBytes,
        long entryCount,
        long keyCount,
        long deletedCount,
        byte[] minKey,
        byte[] maxKey,
        Lsn minLsn,
        Lsn maxLsn) {}
