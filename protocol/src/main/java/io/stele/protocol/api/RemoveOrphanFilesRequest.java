package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;

/**
 * Asks that what lies among a table's data files and belongs to nothing is deleted.
 *
 * @param beforeMillis what was changed since stays: milliseconds since 1970, by the clock of the
 *     store
 */
public record RemoveOrphanFilesRequest(TableId tableId, long beforeMillis) {
    public RemoveOrphanFilesRequest {
        requireNonNull(tableId, "tableId is null");
    }
}
