package io.stele.protocol.api.scan;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import java.util.Optional;

/**
 * The name of a table that the caller will likely scan, and of the scan plan cached for it, in a
 * request that opens a table.
 *
 * @param schemaVersion the caller's version of the table
 * @param token of the caller's cached plan ({@link TablePlan#token}); empty if it has none
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
