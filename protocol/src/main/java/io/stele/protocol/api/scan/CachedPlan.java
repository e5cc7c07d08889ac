package io.stele.protocol.api.scan;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import java.util.Optional;

/**
 * A table that the caller is likely to scan at the snapshot that is being opened, and the cached
 * plan that it has. It is part of a request that opens a table.
 *
 * @param schemaVersion the version that the caller has
 * @param token of the plan that the caller has cached ({@link TablePlan#token}); empty: none
 * @param maxCells the size of the longest plan that the caller wants to receive, as {@link
 *     TablePlan#cells} counts; at most {@link TablePlan#MAX_CELLS}
 */
public record CachedPlan(TableId tableId, int schemaVersion, Optional<String> token, int maxCells) {
    public CachedPlan {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(token, "token is null");
        if (maxCells < 0 || maxCells > TablePlan.MAX_CELLS) {
            throw new IllegalArgumentException(
                    "Expected maxCells from 0 to " + TablePlan.MAX_CELLS + ", found " + maxCells);
        }
    }
}
