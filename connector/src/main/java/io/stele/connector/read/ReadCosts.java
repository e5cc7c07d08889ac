package io.stele.connector.read;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.connector.SteleSessionProperties;
import io.stele.connector.handle.SteleLookup;
import io.stele.connector.sidecar.Warehouse;
import io.stele.protocol.api.FileScan;
import io.stele.protocol.api.ShardScan;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.NodeManager;
import io.trino.spi.connector.ConnectorSession;
import java.util.List;

/** Estimates the cost of reads from this node's measurements of store and workers. Thread-safe. */
public final class ReadCosts {
    private final Warehouse warehouse;
    private final NodeManager nodes;

    @Inject
    public ReadCosts(Warehouse warehouse, NodeManager nodes) {
        this.warehouse = requireNonNull(warehouse, "warehouse is null");
        this.nodes = requireNonNull(nodes, "nodes is null");
    }

    /**
     * Whether a scan may cost less than a lookup: never for one key, and not where rows are stored
     * by key, of which a lookup reads little more than it wants.
     */
    boolean isAsked(ConnectorSession session, TableSchema table, SteleLookup lookup) {
        return lookup.keyCount() > 1
                && !table.orientation().hasRows()
                && SteleSessionProperties.isCostBasedLookupsEnabled(session);
    }

    /**
     * @param shards what a scan would read
     * @param maxSplitBytes of a file that a worker reads at once
     */
    ReadCost of(int keys, List<ShardScan> shards, long maxSplitBytes) {
        int count = 0;
        int splits = 0;
        long rows = 0;
        long bytes = 0;
        long liveRows = 0;
        for (ShardScan shard : shards) {
            liveRows += shard.live() ? shard.liveRowEstimate() : 0;
            for (FileScan file : shard.files()) {
                count++;
                splits += Math.toIntExact(Math.ceilDiv(file.sizeBytes(), maxSplitBytes));
                rows += file.rowCount();
                bytes += file.sizeBytes();
            }
        }
        return ReadCost.of(
                keys,
                new ReadCost.Files(count, splits, rows, bytes, liveRows),
                ReadCost.Store.of(warehouse),
                Runtime.getRuntime().availableProcessors(),
                nodes.getWorkerNodes().size());
    }
}
