package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.cache.SingleFlightCache;
import io.stele.protocol.schema.ColumnSchema;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The decoded-column cache of aggregations: chunks of file columns, decoded and packed. A repeated
 * aggregation of a cached chunk does not read, decompress or decode it again.
 *
 * <p>Files never change, so no entry is ever invalidated; chunks of a deleted file are removed with
 * {@link #forget}. The cache does not decide which rows are visible; its readers do. Thread-safe.
 */
public final class DecodedColumns {
    private static final int ENTRY_BYTES = 150; // key, map and policy, about

    /** Chunks of a column of a file that a sample looks for. */
    private static final int SAMPLED = 8;

    private final SingleFlightCache<Key, ColumnChunk> chunks;
    private final LongSupplier nanoTime;

    /** A column's values from a row of a file on; no other file ever has its name. */
    private record Key(String path, int columnId, int firstOrdinal) {}

    /**
     * @param maxBytes 0: nothing is cached
     * @param nanoTime the clock that measures decoding
     */
    public DecodedColumns(String name, long maxBytes, LongSupplier nanoTime) {
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.chunks =
                new SingleFlightCache<>(
                        name, maxBytes, chunk -> chunk.retainedBytes() + ENTRY_BYTES, nanoTime);
    }

    Optional<ColumnChunk> find(String path, int columnId, int firstOrdinal) {
        return chunks.find(new Key(path, columnId, firstOrdinal));
    }

    /**
     * The share of the values of some columns of a file that are here, by a sample; nothing counts
     * as used.
     *
     * @param file its reader; empty if it is not open: then the first chunk stands for all
     * @param columns those that the file does not have are left out
     */
    public double share(String path, Optional<ColumnFileReader> file, List<ColumnSchema> columns) {
        int asked = 0;
        int present = 0;
        for (ColumnSchema column : columns) {
            if (file.isPresent() && file.get().positionOf(column.id()) == ColumnFileReader.ABSENT) {
                continue;
            }
            for (int i = 0; i < (file.isPresent() ? SAMPLED : 1); i++) {
                int first = file.isPresent() ? file.get().sampledChunk(i, SAMPLED) : 0;
                asked++;
                present += has(path, column.id(), first) ? 1 : 0;
            }
        }
        return asked == 0 ? 1 : (double) present / asked;
    }

    /** Whether that is here; counts nothing, and does not make it look used. */
    boolean has(String path, int columnId, int firstOrdinal) {
        return chunks.has(new Key(path, columnId, firstOrdinal));
    }

    /**
     * Takes what was not found and had to be decoded.
     *
     * @param nanos that reading and decoding it took
     */
    void decoded(String path, int columnId, int firstOrdinal, ColumnChunk chunk, long nanos) {
        chunks.putMissed(new Key(path, columnId, firstOrdinal), chunk, nanos);
    }

    /** The clock that measures decoding. */
    long nanoTime() {
        return nanoTime.getAsLong();
    }

    /** Removes the chunks of a file that was deleted. */
    public void forget(String path) {
        chunks.removeIf(key -> key.path().equals(path));
    }

    public CacheStatistics statistics() {
        return chunks.statistics();
    }
}
