package io.stele.flink.lookup;

import io.stele.flink.option.SteleOptions;
import io.stele.flink.table.BoundTable;
import java.time.DateTimeException;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.source.InputFormatProvider;
import org.apache.flink.table.connector.source.LookupTableSource.LookupRuntimeProvider;
import org.apache.flink.table.connector.source.lookup.AsyncLookupFunctionProvider;
import org.apache.flink.table.connector.source.lookup.FullCachingLookupProvider;
import org.apache.flink.table.connector.source.lookup.LookupFunctionProvider;
import org.apache.flink.table.connector.source.lookup.LookupOptions;
import org.apache.flink.table.connector.source.lookup.LookupOptions.LookupCacheType;
import org.apache.flink.table.connector.source.lookup.LookupOptions.ReloadStrategy;
import org.apache.flink.table.connector.source.lookup.PartialCachingAsyncLookupProvider;
import org.apache.flink.table.connector.source.lookup.PartialCachingLookupProvider;
import org.apache.flink.table.connector.source.lookup.cache.DefaultLookupCache;
import org.apache.flink.table.connector.source.lookup.cache.trigger.CacheReloadTrigger;
import org.apache.flink.table.connector.source.lookup.cache.trigger.PeriodicCacheReloadTrigger;
import org.apache.flink.table.connector.source.lookup.cache.trigger.TimedCacheReloadTrigger;

/**
 * A factory of lookup functions by the table's options: blocking or asynchronous, with or without
 * one of Flink's caches. Stateless; it makes no request.
 */
public final class LookupProviders {
    private LookupProviders() {}

    /**
     * Validates the lookup options.
     *
     * @throws ValidationException an option has an unsupported value, or is missing
     */
    public static void check(ReadableConfig config) {
        if (config.get(LookupOptions.CACHE_TYPE) == LookupCacheType.FULL) {
            reloads(config);
        }
    }

    /**
     * The lookups in a table.
     *
     * @param keys positions of the declared fields that the join compares
     * @throws ValidationException the fields do not include the whole primary key, which all but
     *     the full cache need
     */
    public static LookupRuntimeProvider of(BoundTable table, int[] keys, ReadableConfig config) {
        LookupCacheType cache = config.get(LookupOptions.CACHE_TYPE);
        if (cache == LookupCacheType.FULL) {
            return loaded(table, config);
        }
        LookupTarget target = LookupTarget.of(table, keys, config.get(LookupOptions.MAX_RETRIES));
        boolean isCached = cache == LookupCacheType.PARTIAL;
        if (config.get(SteleOptions.LOOKUP_ASYNC)) {
            SteleAsyncLookupFunction function = new SteleAsyncLookupFunction(target);
            return isCached
                    ? PartialCachingAsyncLookupProvider.of(
                            function, DefaultLookupCache.fromConfig(config))
                    : AsyncLookupFunctionProvider.of(function);
        }
        SteleLookupFunction function = new SteleLookupFunction(target);
        return isCached
                ? PartialCachingLookupProvider.of(function, DefaultLookupCache.fromConfig(config))
                : LookupFunctionProvider.of(function);
    }

    /** Lookups in all rows of the table, which each task manager loads and loads again. */
    private static LookupRuntimeProvider loaded(BoundTable table, ReadableConfig config) {
        FullCacheFormat format =
                new FullCacheFormat(
                        table,
                        SteleOptions.snapshotTtl(config),
                        config.get(LookupOptions.MAX_RETRIES));
        return FullCachingLookupProvider.of(InputFormatProvider.of(format), reloads(config));
    }

    private static CacheReloadTrigger reloads(ReadableConfig config) {
        try {
            return config.get(LookupOptions.FULL_CACHE_RELOAD_STRATEGY) == ReloadStrategy.PERIODIC
                    ? PeriodicCacheReloadTrigger.fromConfig(config)
                    : TimedCacheReloadTrigger.fromConfig(config);
        } catch (IllegalArgumentException | DateTimeException wrong) {
            throw new ValidationException(
                    "Cannot reload a full cache: " + wrong.getMessage(), wrong);
        }
    }
}
