package io.stele.protocol.api.snapshot;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.api.catalog.TableName;

/**
 * A request to open a snapshot of a past LSN (time travel), and to describe the table as of that
 * LSN.
 *
 * @param table the table, by its present name
 * @param ttlMillis lifetime of the snapshot's lease in milliseconds, unless it is renewed
 * @param at the snapshot LSN; the present LSN if it is in the present millisecond
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
