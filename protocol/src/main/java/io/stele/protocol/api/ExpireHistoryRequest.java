package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;

/**
 * Asks that a table forgets its history below an LSN, however long its retention is.
 *
 * @param before what somebody holds by a lease is kept all the same
 */
public record ExpireHistoryRequest(TableId tableId, Lsn before) {
    public ExpireHistoryRequest {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(before, "before is null");
    }
}
