package io.stele.connector.metadata.system;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.connector.sidecar.Warehouse;
import io.stele.objectstore.retrieval.ListPrices;
import io.stele.objectstore.retrieval.RetrievalReport;
import io.stele.objectstore.warehouse.WarehouseLocation;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.status.ReadCounters;
import io.stele.protocol.api.status.RetrievalReply;
import io.stele.protocol.api.status.RetrievalUse;
import io.stele.protocol.api.status.StatusActions;
import io.trino.spi.NodeManager;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.InMemoryRecordSet;
import io.trino.spi.connector.RecordCursor;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.predicate.TupleDomain;
import org.jspecify.annotations.Nullable;

/**
 * The system table {@code system.retrieval} of the reads of the warehouse by all Trino nodes and,
 * requested by the coordinator, by the sidecar: of each process, table, and newest query, with what
 * the requests cost by {@link ListPrices}.
 */
public final class RetrievalTable implements SystemTable {
    private static final ConnectorTableMetadata METADATA =
            new ConnectorTableMetadata(
                    new SchemaTableName("system", "retrieval"),
                    ImmutableList.of(
                            new ColumnMetadata("node", VARCHAR),
                            new ColumnMetadata("process", VARCHAR),
                            new ColumnMetadata("table_name", VARCHAR),
                            new ColumnMetadata("query_id", VARCHAR),
                            new ColumnMetadata("scans", BIGINT),
                            new ColumnMetadata("requests", BIGINT),
                            new ColumnMetadata("rounds", BIGINT),
                            new ColumnMetadata("hedges", BIGINT),
                            new ColumnMetadata("fetched_bytes", BIGINT),
                            new ColumnMetadata("disk_bytes", BIGINT),
                            new ColumnMetadata("memory_bytes", BIGINT),
                            new ColumnMetadata("request_dollars", DOUBLE)));

    private final SteleSidecar sidecar;
    private final Warehouse warehouse;
    private final RetrievalReport report;
    private final NodeManager nodes;

    @Inject
    public RetrievalTable(
            SteleSidecar sidecar, Warehouse warehouse, RetrievalReport report, NodeManager nodes) {
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.warehouse = requireNonNull(warehouse, "warehouse is null");
        this.report = requireNonNull(report, "report is null");
        this.nodes = requireNonNull(nodes, "nodes is null");
    }

    @Override
    public Distribution getDistribution() {
        return Distribution.ALL_NODES;
    }

    @Override
    public ConnectorTableMetadata getTableMetadata() {
        return METADATA;
    }

    @Override
    public RecordCursor cursor(
            ConnectorTransactionHandle transactionHandle,
            ConnectorSession session,
            TupleDomain<Integer> constraint) {
        InMemoryRecordSet.Builder rows = InMemoryRecordSet.builder(METADATA);
        // Other stores do not charge for requests
        double price =
                warehouse.location() instanceof WarehouseLocation.Bucket ? ListPrices.GET : 0;
        String node = nodes.getCurrentNode().getNodeIdentifier();
        for (RetrievalUse use : report.uses(warehouse.retrieval())) {
            add(rows, node, CacheRows.WORKER, use, price);
        }
        if (nodes.getCurrentNode().isCoordinator()) {
            RetrievalReply reply = sidecar.call(StatusActions.RETRIEVAL, Done.DONE);
            for (RetrievalUse use : reply.uses()) {
                add(rows, reply.nodeId(), CacheRows.SIDECAR, use, price);
            }
        }
        return rows.build().cursor();
    }

    private static void add(
            InMemoryRecordSet.Builder rows,
            String node,
            String process,
            RetrievalUse use,
            double price) {
        ReadCounters counters = use.counters();
        boolean isProcess = use.tableName().isEmpty();
        rows.addRow(
                node,
                process,
                orNull(use.tableName()),
                orNull(use.queryId()),
                isProcess ? null : use.scans(),
                counters.requests(),
                isProcess ? null : counters.rounds(),
                counters.hedges(),
                counters.storeBytes(),
                isProcess ? null : counters.diskBytes(),
                isProcess ? null : counters.memoryBytes(),
                counters.requests() * price);
    }

    private static @Nullable String orNull(String name) {
        return name.isEmpty() ? null : name;
    }
}
