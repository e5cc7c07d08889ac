package io.stele.protocol.api.maintenance;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;

/**
 * A request to expire the history of a table below an LSN, however long its retention is.
 *
 * @param before the LSN; history that a lease holds is retained all the same
 */
public record ExpireHistoryRequest(TableId tableId, Lsn before) {
    public ExpireHistoryRequest {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(before, "before is null");
    }
}
