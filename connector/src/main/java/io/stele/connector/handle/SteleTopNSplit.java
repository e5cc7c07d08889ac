package io.stele.connector.handle;

import static io.airlift.slice.SizeOf.instanceSize;
import static java.util.Objects.requireNonNull;

import io.trino.spi.HostAddress;
import io.trino.spi.SplitWeight;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.predicate.TupleDomain;
import java.util.List;

/**
 * A split with a bound, found when the splits are made, outside which none of its rows is wanted.
 *
 * @param bound every wanted row satisfies it
 */
public record SteleTopNSplit(ConnectorSplit split, TupleDomain<SteleColumnHandle> bound)
        implements ConnectorSplit {
    private static final int INSTANCE_SIZE = instanceSize(SteleTopNSplit.class);

    public SteleTopNSplit {
        requireNonNull(split, "split is null");
        requireNonNull(bound, "bound is null");
    }

    @Override
    public List<HostAddress> getAddresses() {
        return split.getAddresses();
    }

    @Override
    public SplitWeight getSplitWeight() {
        return split.getSplitWeight();
    }

    @Override
    public long getRetainedSizeInBytes() {
        return INSTANCE_SIZE
                + split.getRetainedSizeInBytes()
                + bound.getRetainedSizeInBytes(_ -> 0);
    }

    @Override
    public String toString() {
        return split.toString();
    }
}
