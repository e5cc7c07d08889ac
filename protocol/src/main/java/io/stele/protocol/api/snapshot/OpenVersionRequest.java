package io.stele.protocol.api.snapshot;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.api.catalog.TableName;

/**
 * A request to open a snapshot of a past LSN, and to describe the table as of then.
 *
 * @param table the table, by its present name
 * @param ttlMillis how long the snapshot's lease lasts unless renewed
 * @param at the snapshot LSN; the present one if it is in this same millisecond
 */
public record OpenVersionRequest(TableName table, long ttlMillis, Lsn at) {
    public OpenVersionRequest {
        requireNonNull(table, "table is null");
        requireNonNull(at, "at is null");
        if (ttlMillis <= 0) {
            throw new IllegalArgumentException("Expected ttlMillis > 0, found " + ttlMillis);
        }
    }
}
