package io.stele.connector.handle;

import static io.airlift.slice.SizeOf.instanceSize;

import io.trino.spi.connector.ConnectorSplit;

/** The single split of a pushed-down aggregation, whose groups a sidecar computes. */
public record SteleAggregateSplit() implements ConnectorSplit {
    private static final int INSTANCE_SIZE = instanceSize(SteleAggregateSplit.class);

    @Override
    public long getRetainedSizeInBytes() {
        return INSTANCE_SIZE;
    }

    @Override
    public String toString() {
        return "aggregation";
    }
}
