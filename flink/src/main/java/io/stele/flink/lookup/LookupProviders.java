package io.stele.flink.lookup;

import io.stele.flink.option.SteleOptions;
import io.stele.flink.table.BoundTable;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.source.LookupTableSource.LookupRuntimeProvider;
import org.apache.flink.table.connector.source.lookup.AsyncLookupFunctionProvider;
import org.apache.flink.table.connector.source.lookup.LookupFunctionProvider;
import org.apache.flink.table.connector.source.lookup.LookupOptions;
import org.apache.flink.table.connector.source.lookup.PartialCachingAsyncLookupProvider;
import org.apache.flink.table.connector.source.lookup.PartialCachingLookupProvider;
import org.apache.flink.table.connector.source.lookup.cache.DefaultLookupCache;

/**
 * A factory of lookup functions by the table's options: blocking or asynchronous, with or without
 * Flink's cache. Stateless; it makes no request.
 */
public final class LookupProviders {
    private LookupProviders() {}

    /**
     * Validates the lookup options.
     *
     * @throws ValidationException an option has an unsupported value
     */
    public static void check(ReadableConfig config) {
        if (config.get(LookupOptions.CACHE_TYPE) == LookupOptions.LookupCacheType.FULL) {
            throw new ValidationException(
                    "Expected '%s' NONE or PARTIAL, found FULL"
                            .formatted(LookupOptions.CACHE_TYPE.key()));
        }
    }

    /**
     * The lookups in a table.
     *
     * @param keys paths of the declared fields that the join compares
     * @throws ValidationException the fields do not include the whole primary key
     */
    public static LookupRuntimeProvider of(BoundTable table, int[][] keys, ReadableConfig config) {
        LookupTarget target = LookupTarget.of(table, keys, config.get(LookupOptions.MAX_RETRIES));
        boolean caches =
                config.get(LookupOptions.CACHE_TYPE) == LookupOptions.LookupCacheType.PARTIAL;
        if (config.get(SteleOptions.LOOKUP_ASYNC)) {
            SteleAsyncLookupFunction function = new SteleAsyncLookupFunction(target);
            return caches
                    ? PartialCachingAsyncLookupProvider.of(
                            function, DefaultLookupCache.fromConfig(config))
                    : AsyncLookupFunctionProvider.of(function);
        }
        SteleLookupFunction function = new SteleLookupFunction(target);
        return caches
                ? PartialCachingLookupProvider.of(function, DefaultLookupCache.fromConfig(config))
                : LookupFunctionProvider.of(function);
    }
}
