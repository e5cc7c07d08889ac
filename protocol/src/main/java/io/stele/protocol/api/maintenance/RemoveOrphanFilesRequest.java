package io.stele.protocol.api.maintenance;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;

/**
 * A request to delete the orphan files of a table: objects among its data files that nothing refers
 * to.
 *
 * @param beforeMillis objects changed at or after this time are not deleted: milliseconds since
 *     1970, by the clock of the object store
 */
public record RemoveOrphanFilesRequest(TableId tableId, long beforeMillis) {
    public RemoveOrphanFilesRequest {
        requireNonNull(tableId, "tableId is null");
    }
}
