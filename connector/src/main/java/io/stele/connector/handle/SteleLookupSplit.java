package io.stele.connector.handle;

import static io.airlift.slice.SizeOf.instanceSize;
import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.predicate.TupleDomain;

/**
 * A split of all wanted rows of a table in all shards, which a sidecar finds by one key lookup.
 *
 * @param constraint the constraint that a join found; with the table's constraint it binds the key
 */
public record SteleLookupSplit(SteleLookup lookup, TupleDomain<SteleColumnHandle> constraint)
        implements ConnectorSplit {
    private static final int INSTANCE_SIZE = instanceSize(SteleLookupSplit.class);
    private static final int HANDLE_SIZE = instanceSize(SteleColumnHandle.class);

    public SteleLookupSplit {
        requireNonNull(lookup, "lookup is null");
        requireNonNull(constraint, "constraint is null");
    }

    @Override
    public long getRetainedSizeInBytes() {
        return INSTANCE_SIZE + constraint.getRetainedSizeInBytes(column -> HANDLE_SIZE);
    }

    @Override
    public String toString() {
        return "lookup by " + lookup;
    }
}
