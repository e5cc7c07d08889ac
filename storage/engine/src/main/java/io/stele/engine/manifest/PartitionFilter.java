package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;

/** The selection of partitions by their encoded values. Thread-safe. */
@FunctionalInterface
public interface PartitionFilter {
    /** A filter of all partitions. */
    PartitionFilter ALL = _ -> true;

    /**
     * Whether a partition is wanted.
     *
     * @param partition encoded values of the partition columns
     */
    boolean matches(byte[] partition);

    /**
     * The ranges of encoded partitions outside of which none is wanted: in ascending order, without
     * overlap. They are found by binary search, where each partition would be tested.
     */
    default List<Range> ranges() {
        return List.of(Range.ALL);
    }

    /**
     * Partitions from an inclusive lower bound to an exclusive upper bound, by unsigned bytes.
     *
     * @param upper empty: there is none
     */
    record Range(byte[] lower, Optional<byte[]> upper) {
        static final Range ALL = new Range(new byte[0], Optional.empty());

        public Range {
            requireNonNull(lower, "lower is null");
            requireNonNull(upper, "upper is null");
        }
    }
}
