package io.stele.storage.orc;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.cache.SingleFlightCache;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Columns of files as aggregations read them: decoded and packed, a chunk of rows at a time, so
 * that whoever aggregates them again neither reads nor decompresses nor decodes. Files never
 * change, so nothing is ever invalidated; chunks of a deleted file are forgotten with {@link
 * #forget}. Which rows are visible is the reader's own matter. Thread-safe.
 */
public final class DecodedColumns {
    private static final int ENTRY_BYTES = 150; // key, map and policy, about

    private final SingleFlightCache<Key, ColumnChunk> chunks;
    private final LongSupplier nanoTime;

    /** A column's values from a row of a file on; no other file ever has its name. */
    private record Key(String path, int columnId, int firstOrdinal) {}

    /**
     * @param maxBytes 0: nothing is kept
     * @param nanoTime measures what decoding takes
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

    /** What decoding is measured by. */
    long nanoTime() {
        return nanoTime.getAsLong();
    }

    /** Forgets the chunks of a file that was deleted. */
    public void forget(String path) {
        chunks.removeIf(key -> key.path().equals(path));
    }

    public CacheStatistics statistics() {
        return chunks.statistics();
    }
}
