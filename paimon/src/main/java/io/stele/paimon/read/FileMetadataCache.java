package io.stele.paimon.read;

import io.stele.cache.CacheStatistics;
import io.stele.cache.SingleFlightCache;
import io.stele.objectstore.ObjectReader;
import io.trino.parquet.ParquetDataSource;
import io.trino.parquet.ParquetReaderOptions;
import java.io.IOException;

/**
 * This node's cache, bounded in bytes, of footers, indexes and bloom filters of data files, which
 * scans fill. Thread-safe.
 */
final class FileMetadataCache {
    private static final long FOOTER = -1; // no part begins there

    /**
     * A part of a file, which never changes.
     *
     * @param offset of the part; {@link #FOOTER}: the file's footer
     */
    private record Key(String location, long offset) {}

    private final SingleFlightCache<Key, FileMetadata> cache;

    FileMetadataCache(long maxBytes) {
        cache =
                new SingleFlightCache<>(
                        "paimon-file-metadata", maxBytes, FileMetadata::retainedBytes);
    }

    boolean hasFooter(String location) {
        return cache.has(new Key(location, FOOTER));
    }

    OrcFooter orc(String location, long sizeBytes, ObjectReader file) throws IOException {
        FileMetadata footer =
                cache.<IOException>get(
                        new Key(location, FOOTER), () -> OrcFooter.read(location, sizeBytes, file));
        return (OrcFooter) footer;
    }

    ParquetFooter parquet(String location, ParquetDataSource source, ParquetReaderOptions options)
            throws IOException {
        FileMetadata footer =
                cache.<IOException>get(
                        new Key(location, FOOTER), () -> ParquetFooter.read(source, options));
        return (ParquetFooter) footer;
    }

    /** Whether a part other than the footer is cached. */
    boolean has(String location, long offset) {
        return cache.has(new Key(location, offset));
    }

    /** A part of a file other than its footer; loads it if it is not cached. */
    <T extends FileMetadata> T part(
            String location,
            long offset,
            Class<T> type,
            SingleFlightCache.Loader<T, IOException> loader)
            throws IOException {
        return type.cast(cache.<IOException>get(new Key(location, offset), () -> loader.load()));
    }

    CacheStatistics statistics() {
        return cache.statistics();
    }
}
