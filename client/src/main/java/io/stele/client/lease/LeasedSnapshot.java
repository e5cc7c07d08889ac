package io.stele.client.lease;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;

/** A leased snapshot: the id of its lease and its LSN. */
public record LeasedSnapshot(String id, Lsn lsn) {
    public LeasedSnapshot {
        requireNonNull(id, "id is null");
        requireNonNull(lsn, "lsn is null");
    }
}
