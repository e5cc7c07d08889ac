package io.stele.connector.read.opening;

import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.stele.connector.config.SteleSessionProperties;
import io.stele.connector.handle.SteleAggregateSplit;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.handle.SteleLiveSplit;
import io.stele.connector.handle.SteleLookupSplit;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.handle.SteleTopNSplit;
import io.stele.connector.handle.TableChangesHandle;
import io.stele.connector.read.affinity.PreferredWorkers;
import io.stele.connector.read.cache.FilteredRowsCache;
import io.stele.connector.read.cache.FilteredRowsScan;
import io.stele.connector.read.live.LivePageSources;
import io.stele.connector.read.page.ComputingPageSource;
import io.stele.connector.read.page.EnforcingPageSource;
import io.stele.connector.read.page.LimitedPageSource;
import io.stele.connector.read.page.SampledPageSource;
import io.stele.connector.read.prune.ScanConditions;
import io.stele.connector.read.prune.SplitLimits;
import io.stele.connector.sidecar.CacheUse;
import io.stele.connector.sidecar.WorkerDataCache;
import io.stele.connector.type.ScanPredicates;
import io.stele.connector.type.TrinoTypes;
import io.stele.objectstore.retrieval.RetrievalReport;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.ConnectorPageSourceProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorTableCredentials;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.DynamicFilter;
import io.trino.spi.connector.FixedPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.predicate.TupleDomain;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Trino's entrance to reads on a worker: it opens the page source of a split, from a file, a cache
 * or a sidecar. Thread-safe.
 */
public final class StelePageSources implements ConnectorPageSourceProvider {
    private final FilePageSources files;
    private final LivePageSources live;
    private final FilteredRowsCache filteredRows;
    private final WorkerDataCache dataCache;
    private final PreferredWorkers preferredWorkers;
    private final TrinoTypes types;
    private final RetrievalReport report;

    @Inject
    public StelePageSources(
            FilePageSources files,
            LivePageSources live,
            FilteredRowsCache filteredRows,
            WorkerDataCache dataCache,
            PreferredWorkers preferredWorkers,
            TrinoTypes types,
            RetrievalReport report) {
        this.report = requireNonNull(report, "report is null");
        this.types = requireNonNull(types, "types is null");
        this.preferredWorkers = requireNonNull(preferredWorkers, "preferredWorkers is null");
        this.filteredRows = requireNonNull(filteredRows, "filteredRows is null");
        this.dataCache = requireNonNull(dataCache, "dataCache is null");
        this.files = requireNonNull(files, "files is null");
        this.live = requireNonNull(live, "live is null");
    }

    @Override
    public ConnectorPageSource createPageSource(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            ConnectorSplit split,
            ConnectorTableHandle tableHandle,
            Optional<ConnectorTableCredentials> tableCredentials,
            List<ColumnHandle> columns,
            DynamicFilter dynamicFilter,
            MemoryContext memoryContext) {
        List<SteleColumnHandle> wanted =
                columns.stream().map(SteleColumnHandle.class::cast).toList();
        if (tableHandle instanceof TableChangesHandle changes) {
            int shard = ((SteleLiveSplit) split).shard();
            return live.changes(session, changes, shard, wanted, memoryContext);
        }
        SteleTableHandle handle = (SteleTableHandle) tableHandle;
        SteleTableHandle table = split instanceof SteleLookupSplit ? handle : handle.scanned();
        if (split instanceof SteleAggregateSplit) {
            return live.aggregate(session, table, wanted, memoryContext);
        }
        wanted.forEach(column -> checkNotDropped(table, column));
        if (!ComputingPageSource.isNeeded(table, wanted)) {
            return filtered(session, split, table, wanted, dynamicFilter, memoryContext);
        }
        List<SteleColumnHandle> read = ComputingPageSource.columns(table, wanted, types);
        return ComputingPageSource.of(
                table,
                filtered(session, split, table, read, dynamicFilter, memoryContext),
                read,
                wanted,
                types);
    }

    private ConnectorPageSource filtered(
            ConnectorSession session,
            ConnectorSplit split,
            SteleTableHandle table,
            List<SteleColumnHandle> wanted,
            DynamicFilter dynamicFilter,
            MemoryContext memoryContext) {
        table.constraint()
                .getDomains()
                .ifPresent(
                        domains ->
                                domains.keySet().forEach(column -> checkNotDropped(table, column)));
        // Read once, because its value may change between two reads
        TupleDomain<SteleColumnHandle> found =
                dynamicFilter
                        .getCurrentPredicate()
                        .transformKeys(SteleColumnHandle.class::cast)
                        .filter(
                                (column, domain) ->
                                        ScanPredicates.isPushable(table.table(), column, domain));
        if (table.constraint().intersect(found).isNone()) {
            return new FixedPageSource(ImmutableList.of());
        }
        List<Integer> certainColumns = List.of();
        if (split instanceof SteleFileSplit file) {
            Optional<ConnectorPageSource> cached =
                    cached(session, file, table, wanted, found, memoryContext);
            if (cached.isPresent()) {
                return cached.get();
            }
            certainColumns = file.certainColumns();
        }
        ScanConditions conditions = ScanConditions.enforced(table, certainColumns);
        if (conditions.isEmpty()) {
            return open(session, split, table, wanted, found, memoryContext);
        }
        List<SteleColumnHandle> read = EnforcingPageSource.columns(conditions, wanted);
        return EnforcingPageSource.of(
                conditions,
                open(session, split, table, read, found, memoryContext),
                read,
                wanted.size());
    }

    /** The cached filtered rows of a split, or a source that caches them for the next scan. */
    private Optional<ConnectorPageSource> cached(
            ConnectorSession session,
            SteleFileSplit file,
            SteleTableHandle table,
            List<SteleColumnHandle> wanted,
            TupleDomain<SteleColumnHandle> found,
            MemoryContext memory) {
        if (!FilteredRowsScan.isPossible(filteredRows, table)
                || !SteleSessionProperties.isResultCacheEnabled(session)) {
            return Optional.empty();
        }
        filteredRows.reading(table.table());
        return new FilteredRowsScan(
                        filteredRows,
                        table,
                        file,
                        wanted,
                        (columns, constraint, ofReader) ->
                                file(session, file, table, columns, constraint, ofReader))
                .open(found, preferredWorkers.isPreferred(file.preferredWorker()), memory);
    }

    private ConnectorPageSource open(
            ConnectorSession session,
            ConnectorSplit connectorSplit,
            SteleTableHandle table,
            List<SteleColumnHandle> wanted,
            TupleDomain<SteleColumnHandle> found,
            MemoryContext memoryContext) {
        ConnectorSplit split = connectorSplit;
        TupleDomain<SteleColumnHandle> bound = TupleDomain.all();
        if (connectorSplit instanceof SteleTopNSplit narrowed) {
            split = narrowed.split();
            bound = narrowed.bound();
        }
        TupleDomain<SteleColumnHandle> constraint =
                table.constraint().intersect(bound).intersect(found);
        if (constraint.isNone()) {
            return new FixedPageSource(ImmutableList.of());
        }
        return switch (split) {
            case SteleFileSplit file ->
                    file(session, file, table, wanted, constraint, memoryContext);
            case SteleLiveSplit shard -> {
                ConnectorPageSource rows =
                        live.open(session, table, shard, wanted, constraint, memoryContext);
                yield table.selection()
                        .sample()
                        .map(
                                sample ->
                                        limited(
                                                new SampledPageSource(rows, sample, shard.shard()),
                                                table.selection().limit()))
                        .orElse(rows);
            }
            case SteleLookupSplit lookup ->
                    lookUp(
                            session,
                            table,
                            wanted,
                            constraint.intersect(lookup.constraint()),
                            memoryContext);
            default ->
                    throw new IllegalArgumentException(
                            "Expected a split of Stele, found " + split.getClass());
        };
    }

    private ConnectorPageSource file(
            ConnectorSession session,
            SteleFileSplit file,
            SteleTableHandle table,
            List<SteleColumnHandle> columns,
            TupleDomain<SteleColumnHandle> constraint,
            MemoryContext memory) {
        dataCache.reading(table.table());
        files.reading(table.table());
        ScanCaches caches =
                new ScanCaches(
                        cacheUse(session, file),
                        SteleSessionProperties.isFooterCacheEnabled(session),
                        SteleSessionProperties.isColumnCacheEnabled(session));
        return limited(
                files.open(
                        session.getQueryId(),
                        table,
                        file,
                        columns,
                        constraint,
                        caches,
                        memory,
                        scan ->
                                report.add(
                                        table.table().qualifiedName(), session.getQueryId(), scan)),
                SplitLimits.ofFile(table));
    }

    private static ConnectorPageSource limited(ConnectorPageSource source, OptionalLong limit) {
        return limit.isPresent() ? new LimitedPageSource(source, limit.getAsLong()) : source;
    }

    private CacheUse cacheUse(ConnectorSession session, SteleFileSplit file) {
        if (!SteleSessionProperties.isDataCacheEnabled(session)) {
            return CacheUse.OFF;
        }
        return preferredWorkers.isPreferred(file.preferredWorker())
                ? CacheUse.FILL
                : CacheUse.SECOND_ACCESS;
    }

    private static void checkNotDropped(SteleTableHandle table, SteleColumnHandle column) {
        boolean isGone =
                table.version()
                        .filter(version -> version.goneColumns().contains(column.id()))
                        .isPresent();
        if (isGone) {
            throw new TrinoException(
                    NOT_SUPPORTED,
                    "Expected columns of table %s as of LSN %s that are still there, found '%s', which was dropped since: its values are not retained"
                            .formatted(table.name(), table.snapshot().withTime(), column.name()));
        }
    }

    private ConnectorPageSource lookUp(
            ConnectorSession session,
            SteleTableHandle table,
            List<SteleColumnHandle> wanted,
            TupleDomain<SteleColumnHandle> constraint,
            MemoryContext memoryContext) {
        return constraint.isNone()
                ? new FixedPageSource(ImmutableList.of())
                : live.lookUp(session, table, wanted, constraint, memoryContext);
    }
}
