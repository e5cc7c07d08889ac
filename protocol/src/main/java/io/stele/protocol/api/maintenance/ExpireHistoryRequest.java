package io.stele.protocol.api.maintenance;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;

/**
 * A request to expire the history of a table below an LSN, independent of the table's retention.
 *
 * @param before the LSN, exclusive; history that a lease needs is retained anyway
 */
public record ExpireHistoryRequest(TableId tableId, Lsn before) {
    public ExpireHistoryRequest {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(before, "before is null");
    }
}
