package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.cache.SingleFlightCache;
import io.stele.protocol.schema.ColumnSchema;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The decoded-column cache of aggregations, in memory: chunks of file columns, decoded and packed.
 * A repeated aggregation of a cached chunk does not read, decompress or decode it again.
 *
 * <p>Files never change, so no entry is ever invalidated; chunks of a deleted file are removed with
 * {@link #forget}. The cache does not decide which rows are visible; its readers do. Thread-safe.
 */
public final class DecodedColumns {
    private static final int ENTRY_BYTES = 150; // key, map and policy, about

    /** The number of chunks of a file's column in a sample. */
    private static final int SAMPLED = 8;

    private final SingleFlightCache<Key, ColumnChunk> chunks;
    private final LongSupplier nanoTime;

    /**
     * The key of a chunk: a column's values from a row of a file on. File names are never reused.
     */
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
     * The cached share (0 to 1) of the values of some columns of a file, estimated by a sample;
     * does not count as a use.
     *
     * @param file the file's reader; empty if it is not open: then the sample is the first chunk
     *     alone
     * @param columns columns that the file does not have are ignored
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

    /** Whether a chunk is cached; does not count as a use. */
    boolean has(String path, int columnId, int firstOrdinal) {
        return chunks.has(new Key(path, columnId, firstOrdinal));
    }

    /**
     * Caches a chunk that was not found and was decoded.
     *
     * @param nanos time to read and decode the chunk
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
