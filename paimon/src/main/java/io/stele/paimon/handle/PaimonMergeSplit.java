package io.stele.paimon.handle;

import static io.airlift.slice.SizeOf.instanceSize;
import static io.airlift.slice.SizeOf.sizeOf;
import static java.util.Objects.requireNonNull;

import io.trino.spi.SplitWeight;
import io.trino.spi.connector.ConnectorSplit;
import java.util.Optional;

/**
 * A split of one bucket's files that Paimon's own reader reads, since this plugin cannot read or
 * merge them.
 *
 * @param split Paimon's {@code DataSplit} in its own binary form (not Java's serialisation)
 * @param affinity the key by which a worker is chosen
 */
public record PaimonMergeSplit(byte[] split, String affinity, SplitWeight weight)
        implements ConnectorSplit {
    private static final int INSTANCE_SIZE = instanceSize(PaimonMergeSplit.class);

    public PaimonMergeSplit {
        requireNonNull(split, "split is null");
        requireNonNull(affinity, "affinity is null");
        requireNonNull(weight, "weight is null");
    }

    @Override
    public SplitWeight getSplitWeight() {
        return weight;
    }

    @Override
    public Optional<String> getAffinityKey() {
        return Optional.of(affinity);
    }

    @Override
    public long getRetainedSizeInBytes() {
        return INSTANCE_SIZE + sizeOf(split);
    }
}
