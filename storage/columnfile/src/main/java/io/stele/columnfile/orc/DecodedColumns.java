package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.cache.SingleFlightCache;
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
