package io.stele.connector.handle;

import static io.airlift.slice.SizeOf.instanceSize;
import static java.util.Objects.requireNonNull;

import io.stele.protocol.api.scan.ScanMode;
import io.trino.spi.connector.ConnectorSplit;

/**
 * A split of one shard that a sidecar reads and sends: rows in memory only, all rows, rows of an
 * index lookup, or changes.
 *
 * @param shard index of the shard
 */
public record SteleLiveSplit(int shard, ScanMode mode) implements ConnectorSplit {
    private static final int INSTANCE_SIZE = instanceSize(SteleLiveSplit.class);

    public SteleLiveSplit {
        requireNonNull(mode, "mode is null");
    }

    @Override
    public long getRetainedSizeInBytes() {
        return INSTANCE_SIZE;
    }

    @Override
    public String toString() {
        return mode + " of shard " + shard;
    }
}
