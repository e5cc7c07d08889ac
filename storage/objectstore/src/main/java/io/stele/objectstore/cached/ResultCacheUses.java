package io.stele.objectstore.cached;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.stele.cache.BenefitCache;
import io.stele.cache.BenefitStatistics;
import io.stele.protocol.api.status.ResultCacheUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A converter of the statistics of a {@link BenefitCache} to {@link ResultCacheUse} records, one
 * for the cache and one for each table in it. It serves the aggregate cache of the sidecar and the
 * filtered-rows caches of the workers.
 */
public final class ResultCacheUses {
    private ResultCacheUses() {}

    /**
     * The counters and contents of a cache: of all of it, then of each table's part.
     *
     * @param cache whose owners are tables, by the text of their ids
     * @param name of a table by that text; the text itself if it has none
     */
    public static List<ResultCacheUse> of(BenefitCache<?, ?> cache, UnaryOperator<String> name) {
        List<ResultCacheUse> uses = new ArrayList<>();
        uses.add(use(Optional.empty(), cache.statistics(), cache.maxBytes()));
        cache.ownerStatistics()
                .forEach(
                        (id, statistics) ->
                                uses.add(
                                        use(
                                                Optional.of(name.apply(id)),
                                                statistics,
                                                cache.maxBytes())));
        return uses;
    }

    private static ResultCacheUse use(
            Optional<String> table, BenefitStatistics statistics, long maxBytes) {
        return new ResultCacheUse(
                table,
                statistics.hits(),
                statistics.misses(),
                statistics.followed(),
                statistics.hitBytes(),
                NANOSECONDS.toMillis(statistics.savedNanos()),
                statistics.spaceEvictions(),
                statistics.oversized(),
                statistics.verified(),
                statistics.mismatches(),
                statistics.entries(),
                statistics.sizeBytes(),
                maxBytes);
    }
}
