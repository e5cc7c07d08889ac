package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.util.Optional;

/**
 * Begins a transaction on a table.
 *
 * @param readLsn the snapshot the caller decides on (UPDATE, DELETE, MERGE): the commit fails with
 *     TRANSACTION_CONFLICT where a key it changes has a newer version
 */
public record BeginTransactionRequest(TableId tableId, Optional<Lsn> readLsn) {
    public BeginTransactionRequest {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(readLsn, "readLsn is null");
    }
}
