package io.stele.connector.metadata.system;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.connector.metadata.cache.MetadataCache;
import io.stele.connector.metadata.plan.ScanPlanCache;
import io.stele.connector.read.cache.DecodedColumnCache;
import io.stele.connector.read.cache.FilteredRowsCache;
import io.stele.connector.read.file.FileMetadataCache;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.connector.sidecar.WorkerDataCache;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.status.AggregateCacheReply;
import io.stele.protocol.api.status.DataCacheReply;
import io.stele.protocol.api.status.MemoryCachesReply;
import io.stele.protocol.api.status.StatusActions;
import io.trino.spi.NodeManager;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.RecordCursor;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.predicate.TupleDomain;

/**
 * The system table {@code system.caches} of the cache layers of all Trino nodes and, requested by
 * the coordinator, of the sidecar. Each layer has a row without a table, with its contents. Layers
 * that count by table also have a row for each table.
 */
public final class CachesTable implements SystemTable {
    private final SteleSidecar sidecar;
    private final WorkerDataCache pages;
    private final FileMetadataCache footers;
    private final DecodedColumnCache columns;
    private final FilteredRowsCache filteredRows;
    private final MetadataCache metadata;
    private final ScanPlanCache plans;
    private final NodeManager nodes;

    @Inject
    public CachesTable(
            SteleSidecar sidecar,
            WorkerDataCache pages,
            FileMetadataCache footers,
            DecodedColumnCache columns,
            FilteredRowsCache filteredRows,
            MetadataCache metadata,
            ScanPlanCache plans,
            NodeManager nodes) {
        this.plans = requireNonNull(plans, "plans is null");
        this.metadata = requireNonNull(metadata, "metadata is null");
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.pages = requireNonNull(pages, "pages is null");
        this.footers = requireNonNull(footers, "footers is null");
        this.columns = requireNonNull(columns, "columns is null");
        this.filteredRows = requireNonNull(filteredRows, "filteredRows is null");
        this.nodes = requireNonNull(nodes, "nodes is null");
    }

    @Override
    public Distribution getDistribution() {
        return Distribution.ALL_NODES;
    }

    @Override
    public ConnectorTableMetadata getTableMetadata() {
        return CacheRows.METADATA;
    }

    @Override
    public RecordCursor cursor(
            ConnectorTransactionHandle transactionHandle,
            ConnectorSession session,
            TupleDomain<Integer> constraint) {
        CacheRows rows = new CacheRows();
        String node = nodes.getCurrentNode().getNodeIdentifier();
        rows.addDataPages(node, CacheRows.WORKER, pages.space(), pages.tables());
        rows.addInMemory(node, "footers", footers.statistics(), footers.uses());
        rows.addInMemory(node, "columns", columns.statistics(), columns.uses());
        rows.addResultCache(node, CacheRows.WORKER, filteredRows.uses());
        if (nodes.getCurrentNode().isCoordinator()) {
            addSidecar(rows);
            if (metadata.isEnabled()) {
                rows.addMetadata(node, metadata.metrics());
                rows.addPlans(node, plans);
            }
        }
        return rows.cursor();
    }

    private void addSidecar(CacheRows rows) {
        DataCacheReply data = sidecar.call(StatusActions.DATA_CACHE, Done.DONE);
        rows.addDataPages(data.nodeId(), CacheRows.SIDECAR, data.space(), data.tables());
        AggregateCacheReply aggregateCache = sidecar.call(StatusActions.AGGREGATE_CACHE, Done.DONE);
        rows.addResultCache(aggregateCache.nodeId(), CacheRows.SIDECAR, aggregateCache.uses());
        MemoryCachesReply memory = sidecar.call(StatusActions.MEMORY_CACHES, Done.DONE);
        rows.addSidecarMemory(memory.nodeId(), memory.uses());
    }
}
