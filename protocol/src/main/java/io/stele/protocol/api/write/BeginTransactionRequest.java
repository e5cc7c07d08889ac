package io.stele.protocol.api.write;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.util.Optional;

/**
 * A request to begin a transaction on a table.
 *
 * @param readLsn the snapshot the caller decides on (UPDATE, DELETE, MERGE): the commit fails with
 *     TRANSACTION_CONFLICT where a key it changes has a newer version
 * @param ttlMillis how long it lives unless it is renewed, or rows are staged; empty: as long as
 *     the sidecar lets one live whose client renews none
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
