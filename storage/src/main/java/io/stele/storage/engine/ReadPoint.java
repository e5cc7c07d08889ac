package io.stele.storage.engine;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;

/**
 * A leased snapshot: whoever reads at it sees exactly the writes at or below its LSN, for as long
 * as the lease lasts. Safe for use by many threads.
 */
public final class ReadPoint {
    private final String id;
    private final Lsn lsn;

    ReadPoint(String id, Lsn lsn) {
        this.id = requireNonNull(id, "id is null");
        this.lsn = requireNonNull(lsn, "lsn is null");
    }

    public String id() {
        return id;
    }

    public Lsn lsn() {
        return lsn;
    }

    @Override
    public String toString() {
        return "ReadPoint[" + id + " at " + lsn + "]";
    }
}
