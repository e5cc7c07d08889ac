package io.stele.connector.handle;

import static io.airlift.slice.SizeOf.instanceSize;
import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorSplit;

/** All rows of a table that has a {@link SteleLookup}: one request, whatever shards they are in. */
public record SteleLookupSplit(SteleLookup lookup) implements ConnectorSplit {
    private static final int INSTANCE_SIZE = instanceSize(SteleLookupSplit.class);

    public SteleLookupSplit {
        requireNonNull(lookup, "lookup is null");
    }

    @Override
    public long getRetainedSizeInBytes() {
        return INSTANCE_SIZE;
    }

    @Override
    public String toString() {
        return "lookup by " + lookup;
    }
}
