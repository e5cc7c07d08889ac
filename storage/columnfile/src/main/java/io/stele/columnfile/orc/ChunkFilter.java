package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.SteleException;
import java.io.IOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * A filter of the chunks of a column file by the statistics of its row groups: no row of a chunk
 * that is left out has a wanted value in all filtered columns. The statistics are those of row
 * indexes in memory; nothing is left out of a stripe without them. Never reads. Confined to one
 * thread at a time.
 */
final class ChunkFilter {
    private final ColumnFileReader file;
    private final List<WantedValues> wanted;
    private final IntFunction<Optional<StripeMetadata>> metadata;
    private final Map<Integer, Optional<BitSet>> groups = new HashMap<>(); // by stripe

    /**
     * @param wanted by all of its columns, each of which may leave chunks out
     * @param metadata of stripes, as far as they are in memory
     */
    ChunkFilter(
            ColumnFileReader file,
            List<WantedValues> wanted,
            IntFunction<Optional<StripeMetadata>> metadata) {
        this.file = requireNonNull(file, "file is null");
        this.wanted = List.copyOf(wanted);
        this.metadata = requireNonNull(metadata, "metadata is null");
    }

    /**
     * Whether some row of a chunk may be wanted.
     *
     * @param first its first row
     * @param rows of it, at least one
     */
    boolean mayMatch(int first, int rows) {
        if (wanted.isEmpty()) {
            return true;
        }
        RowGroup from = file.rowGroup(first);
        Optional<BitSet> matching = matching(from.stripe());
        int next = matching.map(found -> found.nextSetBit(from.index())).orElse(from.index());
        return next >= 0 && next <= file.rowGroup(first + rows - 1).index();
    }

    /** The row groups of a stripe that may match; empty: nothing is known. */
    private Optional<BitSet> matching(int stripe) {
        return groups.computeIfAbsent(
                stripe, number -> metadata.apply(number).flatMap(its -> matching(number, its)));
    }

    private Optional<BitSet> matching(int stripe, StripeMetadata its) {
        try {
            return file.matchingRowGroups(stripe, its, wanted);
        } catch (IOException | SteleException unusable) {
            return Optional.empty(); // its decoder finds what is wrong with it
        }
    }
}
