package io.stele.connector.handle;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorMergeTableHandle;
import io.trino.spi.connector.ConnectorTableHandle;

/**
 * Trino's handle of an UPDATE, DELETE or MERGE: the table that it reads, and the write that it
 * makes.
 */
public record SteleMergeHandle(SteleTableHandle source, SteleWriteHandle write)
        implements ConnectorMergeTableHandle {
    public SteleMergeHandle {
        requireNonNull(source, "source is null");
        requireNonNull(write, "write is null");
    }

    @Override
    public ConnectorTableHandle getTableHandle() {
        return source;
    }
}
