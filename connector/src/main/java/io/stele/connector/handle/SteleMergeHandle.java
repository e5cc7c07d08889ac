package io.stele.connector.handle;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorMergeTableHandle;
import io.trino.spi.connector.ConnectorTableHandle;

/** The rows that an UPDATE, DELETE or MERGE reads, and the write that it makes. */
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
