package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.util.List;
import java.util.Optional;

/**
 * Opens a read point: from now on until it is closed or its lease ends, its snapshot stays
 * readable.
 *
 * @param tableIds the tables to be read; empty: all
 * @param lsn the snapshot; empty: everything acknowledged so far
 * @param ttlMillis how long the lease lasts unless renewed
 */
public record OpenReadPointRequest(List<TableId> tableIds, Optional<Lsn> lsn, long ttlMillis) {
    public OpenReadPointRequest {
        tableIds = List.copyOf(tableIds);
        requireNonNull(lsn, "lsn is null");
        if (ttlMillis <= 0) {
            throw new IllegalArgumentException("Expected ttlMillis > 0, found " + ttlMillis);
        }
    }
}
