package io.stele.protocol.api.scan;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import java.util.List;
import java.util.Optional;

/**
 * The plan of a scan of all rows of a table, which a sidecar sends with the reply that opens the
 * snapshot, to save a {@link PlanScanRequest}.
 *
 * <p>Invariant: two snapshots at which a table has the same token have the same plan, except for
 * rows that expire between them. This also holds for plans with a predicate.
 *
 * @param schemaVersion as in {@link CachedPlan}
 * @param token identifies the plan; empty: the table was being changed, so the caller must request
 *     a plan
 * @param fromLsn rows below this LSN have expired; 0: none
 * @param fileCount number of files in the plan
 * @param shards the plan; absent if the caller has the plan of this token, or the plan is too long
 */
public record TablePlan(
        TableId tableId,
        int schemaVersion,
        Optional<String> token,
        long fromLsn,
        int fileCount,
        Optional<List<ShardScan>> shards) {
    /**
     * The most cells, files times (columns plus one), of a plan that is sent: about 300 KB of JSON.
     * For a longer plan, a request with a predicate is cheaper.
     */
    public static final int MAX_CELLS = 4_000;

    public TablePlan {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(token, "token is null");
        shards = shards.map(List::copyOf);
    }

    /** The size of a table's plan, in cells. */
    public static long cells(long fileCount, int columnCount) {
        return fileCount * (1 + columnCount);
    }
}
