package io.stele.paimon.read;

import io.stele.cache.CacheStatistics;
import io.stele.cache.SingleFlightCache;
import io.stele.objectstore.ObjectReader;
import io.trino.parquet.ParquetDataSource;
import io.trino.parquet.ParquetReaderOptions;
import java.io.IOException;

/** The footers of data files that this node has read, decoded. Thread-safe. */
final class FileFooters {
    /** About 2,000 files of 100 columns with statistics of four stripes. */
    private final SingleFlightCache<String, FileFooter> cache;

    FileFooters(long maxBytes) {
        cache = new SingleFlightCache<>("paimon-file-footers", maxBytes, FileFooter::retainedBytes);
    }

    OrcFooter orc(String location, long sizeBytes, ObjectReader file) throws IOException {
        FileFooter footer =
                cache.<IOException>get(
                        "orc:" + location, () -> OrcFooter.read(location, sizeBytes, file));
        return (OrcFooter) footer;
    }

    ParquetFooter parquet(String location, ParquetDataSource source, ParquetReaderOptions options)
            throws IOException {
        FileFooter footer =
                cache.<IOException>get(
                        "parquet:" + location, () -> ParquetFooter.read(source, options));
        return (ParquetFooter) footer;
    }

    CacheStatistics statistics() {
        return cache.statistics();
    }
}
