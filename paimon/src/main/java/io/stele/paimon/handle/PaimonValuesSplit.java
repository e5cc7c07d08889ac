package io.stele.paimon.handle;

import static io.airlift.slice.SizeOf.instanceSize;

import io.trino.spi.connector.ConnectorSplit;

/** The only split of a scan whose only row is in the table handle. */
public record PaimonValuesSplit() implements ConnectorSplit {
    private static final int INSTANCE_SIZE = instanceSize(PaimonValuesSplit.class);

    @Override
    public long getRetainedSizeInBytes() {
        return INSTANCE_SIZE;
    }
}
