package io.stele.protocol.api.write;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.util.Optional;

/**
 * A request to begin a transaction on a table.
 *
 * @param readLsn the snapshot on which the changes are based (UPDATE, DELETE, MERGE): the commit
 *     fails with TRANSACTION_CONFLICT if a changed key has a newer version
 * @param ttlMillis lifetime in milliseconds, unless it is renewed or rows are staged; empty: the
 *     sidecar's lifetime for clients that do not renew transactions
 */
public record BeginTransactionRequest(
        TableId tableId, Optional<Lsn> readLsn, Optional<Long> ttlMillis) {
    public BeginTransactionRequest {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(readLsn, "readLsn is null");
        requireNonNull(ttlMillis, "ttlMillis is null");
        if (ttlMillis.filter(millis -> millis <= 0).isPresent()) {
            throw new IllegalArgumentException("Expected ttlMillis > 0, found " + ttlMillis.get());
        }
    }
}
