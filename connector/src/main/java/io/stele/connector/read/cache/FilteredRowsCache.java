package io.stele.connector.read.cache;

import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.stele.cache.BenefitCache;
import io.stele.cache.BenefitCacheOptions;
import io.stele.connector.config.FilteredRowsCacheConfig;
import io.stele.objectstore.cached.DataFiles;
import io.stele.objectstore.cached.ResultCacheUses;
import io.stele.protocol.api.status.ResultCacheUse;
import io.stele.protocol.schema.TableSchema;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A node's cache, in memory, of the rows of file parts that passed a filter, so that later scans
 * with equal conditions read nothing. Files never change, so nothing is ever invalidated.
 * Thread-safe.
 */
public final class FilteredRowsCache {
    private static final Logger log = Logger.get(FilteredRowsCache.class);

    /** The largest number of tables with names; the statistics of further tables show their ids. */
    private static final int MAX_NAMES = 10_000;

    private final BenefitCache<FilteredRowsKey, FilteredRows> rows;
    private final boolean enabled;
    private final LongSupplier nanoTime;
    private final Consumer<String> mismatch;
    private final ConcurrentMap<String, String> names = new ConcurrentHashMap<>();

    public FilteredRowsCache(FilteredRowsCacheConfig config) {
        this(
                config.isEnabled(),
                BenefitCacheOptions.of(
                        config.getMaxMemorySize().toBytes(),
                        config.getMaxResultSize().toBytes(),
                        config.getVerifyShare()),
                System::nanoTime,
                difference -> log.error("%s", difference));
    }

    /**
     * @param nanoTime the clock by which reads of rows are timed
     * @param mismatch called for cached rows that differ from those in the file
     */
    FilteredRowsCache(
            boolean enabled,
            BenefitCacheOptions options,
            LongSupplier nanoTime,
            Consumer<String> mismatch) {
        this.enabled = enabled;
        this.rows =
                new BenefitCache<>(
                        options,
                        key -> DataFiles.tableId(key.path()).orElse(""),
                        key -> key.path().length(),
                        FilteredRows::bytes);
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.mismatch = requireNonNull(mismatch, "mismatch is null");
    }

    boolean isEnabled() {
        return enabled;
    }

    BenefitCache<FilteredRowsKey, FilteredRows> rows() {
        return rows;
    }

    long nanoTime() {
        return nanoTime.getAsLong();
    }

    /** Registers the present name of a table, under which its accesses are counted. */
    public void reading(TableSchema table) {
        String id = table.id().toString();
        if (names.size() < MAX_NAMES || names.containsKey(id)) {
            names.put(id, table.qualifiedName());
        }
    }

    /** Removes rows that differ from those in the file, and reports them. */
    void mismatch(FilteredRowsKey key, FilteredRows found, String computed) {
        rows.mismatch(key);
        mismatch.accept(
                "Expected the rows that a scan of %s from byte %s on gives, %s, found %s other rows in the cache, with %s rows deleted, scan %s"
                        .formatted(
                                key.path(),
                                key.start(),
                                computed,
                                found.rowCount(),
                                key.deletedCount(),
                                key.digest()));
    }

    /**
     * Its counters and contents, first of the whole cache, then of each table; empty if it is
     * disabled.
     */
    public List<ResultCacheUse> uses() {
        if (!enabled) {
            return List.of();
        }
        return ResultCacheUses.of(rows, id -> names.getOrDefault(id, id));
    }
}
