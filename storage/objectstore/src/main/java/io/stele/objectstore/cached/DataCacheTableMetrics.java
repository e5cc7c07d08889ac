package io.stele.objectstore.cached;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.metrics.Cumulative;
import io.stele.protocol.api.status.DataCacheTable;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.weakref.jmx.Managed;

/**
 * The JMX metrics of one table in a data page cache: reads, hits, requests and estimated hit
 * ratios. All are 0 while the cache has no statistics of the table. Thread-safe.
 */
public final class DataCacheTableMetrics {
    private final Supplier<Optional<DataCacheTable>> table;

    public DataCacheTableMetrics(Supplier<Optional<DataCacheTable>> table) {
        this.table = requireNonNull(table, "table is null");
    }

    private long gauge(ToLongFunction<DataCacheTable> value) {
        return table.get().map(present -> value.applyAsLong(present)).orElse(0L);
    }

    private double ratio(ToDoubleFunction<DataCacheTable> value) {
        return table.get().map(present -> value.applyAsDouble(present)).orElse(0.0);
    }

    @Managed(description = "Reads of files")
    @Cumulative
    public long getReads() {
        return gauge(DataCacheTable::reads);
    }

    @Managed(description = "Reads that needed no request to the warehouse")
    @Cumulative
    public long getRequestsSaved() {
        return gauge(DataCacheTable::requestsSaved);
    }

    @Managed(description = "Pages found")
    @Cumulative
    public long getPageHits() {
        return gauge(DataCacheTable::pageHits);
    }

    @Managed(description = "Pages not found")
    @Cumulative
    public long getPageMisses() {
        return gauge(DataCacheTable::pageMisses);
    }

    @Managed(description = "Bytes read without a request")
    @Cumulative
    public long getHitBytes() {
        return gauge(DataCacheTable::hitBytes);
    }

    @Managed(description = "Bytes read by requests")
    @Cumulative
    public long getMissedBytes() {
        return gauge(DataCacheTable::missedBytes);
    }

    @Managed(description = "Requests to the warehouse")
    @Cumulative
    public long getRequests() {
        return gauge(DataCacheTable::requests);
    }

    @Managed(description = "Bytes that requests fetched, in whole pages")
    @Cumulative
    public long getFetchedBytes() {
        return gauge(DataCacheTable::fetchedBytes);
    }

    @Managed(
            description =
                    "Milliseconds that the saved requests would have taken, at the mean of those made")
    public long getSavedMillis() {
        return gauge(DataCacheTable::savedMillis);
    }

    @Managed(description = "Requests to the warehouse that failed")
    @Cumulative
    public long getFailedRequests() {
        return gauge(DataCacheTable::failedRequests);
    }

    @Managed(description = "Pages that the disk had damaged")
    @Cumulative
    public long getDamagedPages() {
        return gauge(DataCacheTable::damagedPages);
    }

    @Managed(description = "Pages not cached because too many waited to be written")
    @Cumulative
    public long getUnkeptPages() {
        return gauge(DataCacheTable::unkeptPages);
    }

    @Managed(description = "Share of page requests that an LRU cache of half the size would answer")
    public double getHitRatioHalf() {
        return ratio(DataCacheTable::hitRatioHalf);
    }

    @Managed(description = "Share of page requests that an LRU cache of this size would answer")
    public double getHitRatioSame() {
        return ratio(DataCacheTable::hitRatioSame);
    }

    @Managed(
            description = "Share of page requests that an LRU cache of twice the size would answer")
    public double getHitRatioDouble() {
        return ratio(DataCacheTable::hitRatioDouble);
    }

    @Managed(
            description =
                    "Share of page requests that an LRU cache of four times the size would answer")
    public double getHitRatioFourfold() {
        return ratio(DataCacheTable::hitRatioFourfold);
    }
}
