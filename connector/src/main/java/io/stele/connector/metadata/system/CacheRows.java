package io.stele.connector.metadata.system;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.VarcharType.VARCHAR;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.stele.cache.CacheStatistics;
import io.stele.connector.metadata.cache.MetadataCacheMetrics;
import io.stele.connector.metadata.plan.ScanPlanCache;
import io.stele.connector.read.file.TableUses;
import io.stele.protocol.api.status.DataCacheSpace;
import io.stele.protocol.api.status.DataCacheTable;
import io.stele.protocol.api.status.MemoryCacheUse;
import io.stele.protocol.api.status.ResultCacheUse;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.InMemoryRecordSet;
import io.trino.spi.connector.RecordCursor;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A builder of the rows of {@code system.caches}, by cache layer and table. A layer fills only the
 * columns that it has numbers for. Confined to one thread.
 */
final class CacheRows {
    static final String WORKER = "worker";
    static final String SIDECAR = "sidecar";
    static final String COORDINATOR = "coordinator";

    private static final String NODE = "node";
    private static final String PROCESS = "process";
    private static final String LAYER = "layer";
    private static final String TABLE_NAME = "table_name";
    private static final List<String> COUNTS =
            List.of(
                    "reads",
                    "requests_saved",
                    "page_hits",
                    "page_misses",
                    "hit_bytes",
                    "missed_bytes",
                    "requests",
                    "fetched_bytes",
                    "saved_ms",
                    "failed_requests",
                    "damaged_pages",
                    "unkept_pages");
    private static final List<String> RATIOS =
            List.of("hit_ratio_half", "hit_ratio_same", "hit_ratio_double", "hit_ratio_fourfold");
    private static final List<String> OF_SPACE =
            List.of(
                    "pages",
                    "disk_bytes",
                    "max_disk_bytes",
                    "evictions",
                    "replaced",
                    "invalidated",
                    "rejections",
                    "write_failures",
                    "directories",
                    "directories_out");
    private static final List<String> IN_MEMORY =
            List.of(
                    "hits",
                    "misses",
                    "entries",
                    "memory_bytes",
                    "max_memory_bytes",
                    "verified",
                    "mismatches",
                    "version_age_ms");
    static final ConnectorTableMetadata METADATA =
            new ConnectorTableMetadata(
                    new SchemaTableName("system", "caches"),
                    ImmutableList.copyOf(
                            Stream.of(
                                            columns(
                                                    List.of(NODE, PROCESS, LAYER, TABLE_NAME),
                                                    VARCHAR),
                                            columns(COUNTS, BIGINT),
                                            columns(RATIOS, DOUBLE),
                                            columns(OF_SPACE, BIGINT),
                                            columns(IN_MEMORY, BIGINT))
                                    .flatMap(List::stream)
                                    .toList()));

    private final InMemoryRecordSet.Builder rows = InMemoryRecordSet.builder(METADATA);

    private static List<ColumnMetadata> columns(List<String> names, Type type) {
        return names.stream().map(name -> new ColumnMetadata(name, type)).toList();
    }

    /** Adds a row for the whole cache, and then one for each table. */
    void addDataPages(
            String node,
            String process,
            Optional<DataCacheSpace> space,
            List<DataCacheTable> tables) {
        if (space.isEmpty()) {
            return;
        }
        add(node, process, "data_pages", Optional.empty(), values(space.get()));
        tables.forEach(
                table ->
                        add(
                                node,
                                process,
                                "data_pages",
                                Optional.of(table.table()),
                                values(table)));
    }

    void addResultCache(String node, String process, List<ResultCacheUse> uses) {
        uses.forEach(use -> add(node, process, "fragments", use.table(), values(use)));
    }

    /**
     * Adds a memory cache of a worker: a row with its contents, and a row with its use for each
     * table.
     */
    void addInMemory(String node, String layer, CacheStatistics statistics, TableUses uses) {
        List<TableUses.Use> tables = uses.uses();
        addInMemory(node, layer, statistics, tables);
        for (TableUses.Use use : tables) {
            add(
                    node,
                    WORKER,
                    layer,
                    Optional.of(use.table()),
                    ImmutableMap.of(
                            "reads",
                            use.hits() + use.misses(),
                            "hits",
                            use.hits(),
                            "misses",
                            use.misses(),
                            "hit_bytes",
                            use.hitBytes(),
                            "saved_ms",
                            use.savedMillis()));
        }
    }

    /** Adds the memory caches of the sidecar. */
    void addSidecarMemory(String node, List<MemoryCacheUse> uses) {
        for (MemoryCacheUse use : uses) {
            add(node, SIDECAR, use.name().replace('-', '_'), Optional.empty(), values(use));
        }
    }

    private void addInMemory(
            String node, String layer, CacheStatistics statistics, List<TableUses.Use> tables) {
        add(
                node,
                WORKER,
                layer,
                Optional.empty(),
                ImmutableMap.<String, Object>builder()
                        .put("hits", statistics.hits())
                        .put("misses", statistics.misses())
                        .put("hit_bytes", sum(tables, TableUses.Use::hitBytes))
                        .put("saved_ms", sum(tables, TableUses.Use::savedMillis))
                        .putAll(held(statistics))
                        .buildOrThrow());
    }

    private static Map<String, Object> held(CacheStatistics cache) {
        return ImmutableMap.of(
                "evictions", cache.evictions(),
                "replaced", cache.replaced(),
                "invalidated", cache.invalidated(),
                "entries", cache.entries(),
                "memory_bytes", cache.weightBytes(),
                "max_memory_bytes", cache.maxWeightBytes());
    }

    private static long sum(
            List<TableUses.Use> tables, ToLongFunction<? super TableUses.Use> value) {
        return tables.stream().mapToLong(value).sum();
    }

    /**
     * Adds the metadata cache; a read is an access to a table or view, which costs a request unless
     * it is cached.
     */
    void addMetadata(String node, MetadataCacheMetrics metrics) {
        add(
                node,
                COORDINATOR,
                "metadata",
                Optional.empty(),
                ImmutableMap.<String, Object>builder()
                        .put("reads", metrics.getHits() + metrics.getMisses())
                        .put("hits", metrics.getHits())
                        .put("misses", metrics.getMisses())
                        .put("hit_bytes", metrics.getHitBytes())
                        .put("saved_ms", metrics.getSavedMillis())
                        .put("requests_saved", metrics.getHits())
                        .put("requests", metrics.getMisses() + metrics.getVersionChecks())
                        .put("evictions", metrics.getEvictions())
                        .put("replaced", metrics.getReplaced())
                        .put("invalidated", metrics.getInvalidated())
                        .put("entries", metrics.getEntries())
                        .put("memory_bytes", metrics.getWeightBytes())
                        .put("version_age_ms", Math.round(metrics.getMeanAgeMillis()))
                        .buildOrThrow());
    }

    /**
     * Adds the cache of scan plans; a read is that of one scan, which costs a request unless its
     * plan is cached.
     */
    void addPlans(String node, ScanPlanCache plans) {
        CacheStatistics held = plans.statistics();
        add(
                node,
                COORDINATOR,
                "plans",
                Optional.empty(),
                ImmutableMap.<String, Object>builder()
                        .put("reads", plans.foundCount() + plans.askedCount())
                        .put("hits", plans.foundCount())
                        .put("misses", plans.askedCount())
                        .put("hit_bytes", plans.foundBytes())
                        .put("saved_ms", plans.savedMillis())
                        .put("requests_saved", plans.foundCount())
                        .put("requests", plans.askedCount())
                        .putAll(held(held))
                        .buildOrThrow());
    }

    private void add(
            String node,
            String process,
            String layer,
            Optional<String> table,
            Map<String, Object> values) {
        List<@Nullable Object> row = new ArrayList<>(METADATA.getColumns().size());
        for (ColumnMetadata column : METADATA.getColumns()) {
            row.add(
                    switch (column.getName()) {
                        case NODE -> node;
                        case PROCESS -> process;
                        case LAYER -> layer;
                        case TABLE_NAME -> table.orElse(null);
                        default -> values.get(column.getName());
                    });
        }
        rows.addRow(row.toArray());
    }

    RecordCursor cursor() {
        return rows.build().cursor();
    }

    private static Map<String, Object> values(DataCacheTable table) {
        return ImmutableMap.<String, Object>builder()
                .put("reads", table.reads())
                .put("requests_saved", table.requestsSaved())
                .put("page_hits", table.pageHits())
                .put("page_misses", table.pageMisses())
                .put("hit_bytes", table.hitBytes())
                .put("missed_bytes", table.missedBytes())
                .put("requests", table.requests())
                .put("fetched_bytes", table.fetchedBytes())
                .put("saved_ms", table.savedMillis())
                .put("failed_requests", table.failedRequests())
                .put("damaged_pages", table.damagedPages())
                .put("unkept_pages", table.unkeptPages())
                .put("hit_ratio_half", table.hitRatioHalf())
                .put("hit_ratio_same", table.hitRatioSame())
                .put("hit_ratio_double", table.hitRatioDouble())
                .put("hit_ratio_fourfold", table.hitRatioFourfold())
                .buildOrThrow();
    }

    private static Map<String, Object> values(DataCacheSpace space) {
        return ImmutableMap.<String, Object>builder()
                .put("pages", space.pages())
                .put("disk_bytes", space.diskBytes())
                .put("max_disk_bytes", space.maxDiskBytes())
                .put("evictions", space.evictions())
                .put("invalidated", space.removed())
                .put("damaged_pages", space.damaged())
                .put("rejections", space.rejections())
                .put("write_failures", space.writeFailures())
                .put("directories", (long) space.directories())
                .put("directories_out", (long) space.directoriesOut())
                .buildOrThrow();
    }

    private static Map<String, Object> values(MemoryCacheUse use) {
        ImmutableMap.Builder<String, Object> values =
                ImmutableMap.<String, Object>builder()
                        .put("hits", use.hits())
                        .put("misses", use.misses())
                        .put("hit_bytes", use.hitBytes())
                        .put("evictions", use.evictions())
                        .put("replaced", use.replaced())
                        .put("invalidated", use.invalidated())
                        .put("entries", use.entries())
                        .put("memory_bytes", use.bytes())
                        .put("max_memory_bytes", use.maxBytes());
        use.savedMillis().ifPresent(millis -> values.put("saved_ms", millis));
        return values.buildOrThrow();
    }

    private static Map<String, Object> values(ResultCacheUse use) {
        return ImmutableMap.<String, Object>builder()
                .put("reads", use.hits() + use.misses() + use.followed())
                .put("hit_bytes", use.hitBytes())
                .put("saved_ms", use.savedMillis())
                .put("evictions", use.evictions())
                .put("rejections", use.oversized())
                .put("hits", use.hits())
                .put("misses", use.misses())
                .put("entries", use.entries())
                .put("memory_bytes", use.bytes())
                .put("max_memory_bytes", use.maxBytes())
                .put("verified", use.verified())
                .put("mismatches", use.mismatches())
                .buildOrThrow();
    }
}
