package io.stele.columnfile.orc.write;

import io.stele.columnfile.orc.WrittenFileMetadata;
import io.stele.protocol.Lsn;
import io.stele.protocol.predicate.ColumnSketch;
import io.stele.protocol.predicate.ColumnStats;
import java.util.Map;

/**
 * The summary of a finished column file: size, row count, LSN range, column statistics, sketches
 * and the file metadata that readers need first.
 *
 * @param minLsn {@link Lsn#MAX} in an empty file, and in one that is to be ingested
 * @param maxLsn {@link Lsn#MIN} in the same
 * @param columnStats by column id
 * @param sketches by column id
 */
public record ColumnFileSummary(
        long sizeBytes,
        long rowCount,
        Lsn minLsn,
        Lsn maxLsn,
        Map<Integer, ColumnStats> columnStats,
        Map<Integer, ColumnSketch> sketches,
        WrittenFileMetadata end) {}
