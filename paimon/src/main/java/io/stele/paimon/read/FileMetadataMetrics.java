package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.cache.CacheStatistics;
import org.weakref.jmx.Managed;

/** The metrics of the cache of footers and indexes of data files, for JMX. Thread-safe. */
public final class FileMetadataMetrics {
    private final DataFiles files;

    @Inject
    public FileMetadataMetrics(DataFiles files) {
        this.files = requireNonNull(files, "files is null");
    }

    private CacheStatistics statistics() {
        return files.statistics();
    }

    @Managed(description = "Footers and indexes of data files found")
    public long getHits() {
        return statistics().hits();
    }

    @Managed(description = "Bytes of the footers and indexes found, about")
    public long getHitBytes() {
        return statistics().hitBytes();
    }

    @Managed(description = "Footers and indexes that were read from data files")
    public long getMisses() {
        return statistics().misses();
    }

    @Managed(description = "Footers and indexes that could not be read")
    public long getFailures() {
        return statistics().failures();
    }

    @Managed(description = "Footers and indexes that made room for others")
    public long getEvictions() {
        return statistics().evictions();
    }

    @Managed(description = "Footers and indexes held")
    public long getEntries() {
        return statistics().entries();
    }

    @Managed(description = "Bytes held, about")
    public long getBytes() {
        return statistics().weightBytes();
    }

    @Managed(description = "Bytes that may be held")
    public long getMaxBytes() {
        return statistics().maxWeightBytes();
    }
}
