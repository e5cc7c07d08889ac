package io.stele.connector.metadata;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.inject.Inject;
import io.stele.connector.metadata.cache.MetadataCache;
import io.stele.connector.metadata.cache.MetadataCacheMetrics;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.connector.sidecar.WorkerDataCache;
import io.stele.protocol.api.Actions;
import io.stele.protocol.api.DataCacheReply;
import io.stele.protocol.api.DataCacheSpace;
import io.stele.protocol.api.DataCacheTable;
import io.stele.protocol.api.Done;
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
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code system.caches}: the data page caches of all nodes of Trino and, by way of the coordinator,
 * of the sidecar. Of each cache a row without a table, with what it holds, and a row for each
 * table. The coordinator has a row for its metadata cache as well.
 */
public final class CachesTable implements SystemTable {
    private static final List<String> OF_TABLES =
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
                    "rejections",
                    "write_failures",
                    "directories",
                    "directories_out");
    private static final ConnectorTableMetadata METADATA =
            new ConnectorTableMetadata(
                    new SchemaTableName("system", "caches"),
                    ImmutableList.copyOf(
                            Stream.of(
                                            columns(
                                                    List.of("node", "process", "table_name"),
                                                    VARCHAR),
                                            columns(OF_TABLES, BIGINT),
                                            columns(RATIOS, DOUBLE),
                                            columns(OF_SPACE, BIGINT))
                                    .flatMap(List::stream)
                                    .toList()));

    private final SteleSidecar sidecar;
    private final WorkerDataCache cache;
    private final MetadataCache metadata;
    private final NodeManager nodes;

    @Inject
    public CachesTable(
            SteleSidecar sidecar,
            WorkerDataCache cache,
            MetadataCache metadata,
            NodeManager nodes) {
        this.metadata = requireNonNull(metadata, "metadata is null");
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.cache = requireNonNull(cache, "cache is null");
        this.nodes = requireNonNull(nodes, "nodes is null");
    }

    private static List<ColumnMetadata> columns(List<String> names, Type type) {
        return names.stream().map(name -> new ColumnMetadata(name, type)).toList();
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
        String node = nodes.getCurrentNode().getNodeIdentifier();
        addRows(rows, node, "worker", cache.space(), cache.tables());
        if (nodes.getCurrentNode().isCoordinator()) {
            DataCacheReply reply =
                    sidecar.call(Actions.DATA_CACHE, Done.DONE, DataCacheReply.class);
            addRows(rows, reply.nodeId(), "sidecar", reply.space(), reply.tables());
            if (metadata.isEnabled()) {
                rows.addRow(metadataRow(node).toArray());
            }
        }
        return rows.build().cursor();
    }

    private static void addRows(
            InMemoryRecordSet.Builder rows,
            String node,
            String process,
            Optional<DataCacheSpace> space,
            List<DataCacheTable> tables) {
        if (space.isEmpty()) {
            return;
        }
        List<Object> whole = new ArrayList<>(Arrays.asList(node, process, null));
        OF_TABLES.forEach(_ -> whole.add(null));
        RATIOS.forEach(_ -> whole.add(null));
        whole.addAll(values(space.get()));
        rows.addRow(whole.toArray());
        for (DataCacheTable table : tables) {
            List<Object> row = new ArrayList<>(List.of(node, process, table.table()));
            row.addAll(values(table));
            OF_SPACE.forEach(_ -> row.add(null));
            rows.addRow(row.toArray());
        }
    }

    /** A read is one of a table or view, which costs a request unless it is there. */
    private List<@Nullable Object> metadataRow(String node) {
        MetadataCacheMetrics metrics = metadata.metrics();
        Map<String, Object> values =
                ImmutableMap.<String, Object>builder()
                        .put("node", node)
                        .put("process", "metadata")
                        .put("reads", metrics.getHits() + metrics.getMisses())
                        .put("requests_saved", metrics.getHits())
                        .put("requests", metrics.getMisses() + metrics.getVersionChecks())
                        .put("evictions", metrics.getEvictions())
                        .buildOrThrow();
        List<@Nullable Object> row = new ArrayList<>();
        METADATA.getColumns().forEach(column -> row.add(values.get(column.getName())));
        return row;
    }

    private static List<Object> values(DataCacheTable table) {
        return List.of(
                table.reads(),
                table.requestsSaved(),
                table.pageHits(),
                table.pageMisses(),
                table.hitBytes(),
                table.missedBytes(),
                table.requests(),
                table.fetchedBytes(),
                table.savedMillis(),
                table.failedRequests(),
                table.damagedPages(),
                table.unkeptPages(),
                table.hitRatioHalf(),
                table.hitRatioSame(),
                table.hitRatioDouble(),
                table.hitRatioFourfold());
    }

    private static List<Object> values(DataCacheSpace space) {
        return List.of(
                space.pages(),
                space.diskBytes(),
                space.maxDiskBytes(),
                space.evictions(),
                space.rejections(),
                space.writeFailures(),
                (long) space.directories(),
                (long) space.directoriesOut());
    }
}
