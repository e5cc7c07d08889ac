package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.trino.orc.metadata.statistics.BloomFilter;
import java.util.List;

/** The bloom filters of a column in a stripe, one for each row group. */
record OrcBloomFilters(List<BloomFilter> filters) implements FileMetadata {
    static final OrcBloomFilters NONE = new OrcBloomFilters(List.of());

    OrcBloomFilters {
        filters = List.copyOf(requireNonNull(filters, "filters is null"));
    }

    @Override
    public long retainedBytes() {
        return 128 + filters.stream().mapToLong(BloomFilter::getRetainedSizeInBytes).sum();
    }
}
