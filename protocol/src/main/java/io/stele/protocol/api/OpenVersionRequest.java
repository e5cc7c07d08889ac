package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;

/**
 * Opens a read point of the past, and describes a table as it looked then.
 *
 * @param table the table, by its name of now
 * @param ttlMillis how long the read point's lease lasts unless renewed
 * @param at the snapshot; that of now where it is in this very millisecond
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
