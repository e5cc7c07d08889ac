package io.stele.paimon.write;

import static java.util.Objects.requireNonNull;

import java.util.OptionalLong;

/**
 * The snapshot on which a statement's changes depend, for the conflict check of its commit.
 *
 * @param id the snapshot's id; 0: the table had no snapshot
 * @param millis when the snapshot was committed, in epoch milliseconds, since after a rollback
 *     another snapshot may have its id; empty: there was no snapshot
 * @param isOfRows whether rows were read, and not only the index of buckets
 */
public record ReadSnapshot(long id, OptionalLong millis, boolean isOfRows) {
    public ReadSnapshot {
        requireNonNull(millis, "millis is null");
    }
}
