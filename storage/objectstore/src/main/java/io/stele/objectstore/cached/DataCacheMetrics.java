package io.stele.objectstore.cached;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.metrics.Cumulative;
import io.stele.protocol.api.status.DataCacheSpace;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.weakref.jmx.Managed;

/**
 * The JMX metrics of a data page cache: its size, its directories, and counters of its pages. All
 * are 0 while there is no cache. Thread-safe.
 */
public final class DataCacheMetrics {
    private final Supplier<Optional<DataCacheSpace>> space;

    public DataCacheMetrics(Supplier<Optional<DataCacheSpace>> space) {
        this.space = requireNonNull(space, "space is null");
    }

    private long gauge(ToLongFunction<DataCacheSpace> value) {
        return space.get().map(present -> value.applyAsLong(present)).orElse(0L);
    }

    @Managed(description = "Pages held")
    public long getPages() {
        return gauge(DataCacheSpace::pages);
    }

    @Managed(description = "Bytes on disks, with the index")
    public long getDiskBytes() {
        return gauge(DataCacheSpace::diskBytes);
    }

    @Managed(description = "Bytes that may be on disks")
    public long getMaxDiskBytes() {
        return gauge(DataCacheSpace::maxDiskBytes);
    }

    @Managed(description = "Pages that made room for others")
    @Cumulative
    public long getEvictions() {
        return gauge(DataCacheSpace::evictions);
    }

    @Managed(description = "Pages that were offered and not taken")
    @Cumulative
    public long getRejections() {
        return gauge(DataCacheSpace::rejections);
    }

    @Managed(description = "Pages dropped because they were damaged or could not be read")
    @Cumulative
    public long getDamaged() {
        return gauge(DataCacheSpace::damaged);
    }

    @Managed(description = "Pages dropped because their file is gone or has another length")
    @Cumulative
    public long getRemoved() {
        return gauge(DataCacheSpace::removed);
    }

    @Managed(description = "Pages that could not be written")
    @Cumulative
    public long getWriteFailures() {
        return gauge(DataCacheSpace::writeFailures);
    }

    @Managed(description = "Directories")
    public long getDirectories() {
        return gauge(DataCacheSpace::directories);
    }

    @Managed(description = "Directories that are not in use because they failed")
    public long getDirectoriesOut() {
        return gauge(DataCacheSpace::directoriesOut);
    }
}
