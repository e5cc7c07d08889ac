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
 * A filter of the chunks of a column file by the statistics of its row groups. A skipped chunk has
 * no row with wanted values in all filtered columns. The statistics are from row indexes in memory;
 * no chunk of a stripe without them is skipped. Never reads the file. Confined to one thread at a
 * time.
 */
final class ChunkFilter {
    private final ColumnFileReader file;
    private final List<WantedValues> wanted;
    private final IntFunction<Optional<StripeMetadata>> metadata;
    private final Map<Integer, Optional<BitSet>> groups = new HashMap<>(); // by stripe

    /**
     * @param wanted the filtered columns, each of which may skip chunks
     * @param metadata the metadata of a stripe, if it is in memory
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
     * @param first ordinal of the chunk's first row
     * @param rows the chunk's number of rows, at least 1
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

    /** The row groups of a stripe that may match; empty if nothing is known. */
    private Optional<BitSet> matching(int stripe) {
        return groups.computeIfAbsent(
                stripe, number -> metadata.apply(number).flatMap(its -> matching(number, its)));
    }

    private Optional<BitSet> matching(int stripe, StripeMetadata its) {
        try {
            return file.matchingRowGroups(stripe, its, wanted);
        } catch (IOException | SteleException unusable) {
            return Optional.empty(); // damaged: the decoder will report it
        }
    }
}
