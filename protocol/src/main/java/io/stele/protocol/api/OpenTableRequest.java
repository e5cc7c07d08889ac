package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import java.util.Optional;

/**
 * Describes a table or view and opens a read point, for whoever is about to read it: one request
 * instead of two.
 *
 * @param table the table or view, by name
 * @param ttlMillis how long the read point's lease lasts unless renewed
 * @param atLeast as in {@link OpenReadPointRequest}
 */
public record OpenTableRequest(TableRequest table, long ttlMillis, Optional<Lsn> atLeast) {
    public OpenTableRequest {
        requireNonNull(table, "table is null");
        requireNonNull(atLeast, "atLeast is null");
        if (ttlMillis <= 0) {
            throw new IllegalArgumentException("Expected ttlMillis > 0, found " + ttlMillis);
        }
    }
}
