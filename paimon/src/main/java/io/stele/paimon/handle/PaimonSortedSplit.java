package io.stele.paimon.handle;

import static io.airlift.slice.SizeOf.estimatedSizeOf;
import static io.airlift.slice.SizeOf.instanceSize;
import static java.util.Objects.requireNonNull;

import io.trino.spi.SplitWeight;
import io.trino.spi.connector.ConnectorSplit;
import java.util.List;
import java.util.Optional;

/**
 * A split of one bucket's files whose rows this plugin merges by key on a worker.
 *
 * @param sections in the order of their keys, without overlap
 * @param affinity the key by which a worker is chosen
 */
public record PaimonSortedSplit(List<SortedSection> sections, String affinity, SplitWeight weight)
        implements ConnectorSplit {
    private static final int INSTANCE_SIZE = instanceSize(PaimonSortedSplit.class);

    public PaimonSortedSplit {
        sections = List.copyOf(requireNonNull(sections, "sections is null"));
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
        return INSTANCE_SIZE
                + estimatedSizeOf(affinity)
                + sections.stream()
                        .flatMap(section -> section.runs().stream())
                        .flatMap(List::stream)
                        .mapToLong(SortedFile::retainedBytes)
                        .sum();
    }
}
