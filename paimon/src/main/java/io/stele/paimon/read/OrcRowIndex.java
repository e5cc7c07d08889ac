package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.trino.orc.metadata.RowGroupIndex;
import java.util.List;

/** The row index of a column in a stripe: positions and statistics of each row group. */
record OrcRowIndex(List<RowGroupIndex> groups) implements FileMetadata {
    // By the layout of the classes: a number in a list, and a group without its statistics
    private static final int POSITION_BYTES = 20;
    private static final int GROUP_BYTES = 64;

    OrcRowIndex {
        groups = List.copyOf(requireNonNull(groups, "groups is null"));
    }

    @Override
    public long retainedBytes() {
        long bytes = 128;
        for (RowGroupIndex group : groups) {
            bytes +=
                    GROUP_BYTES
                            + (long) POSITION_BYTES * group.getPositions().size()
                            + group.getColumnStatistics().getRetainedSizeInBytes();
        }
        return bytes;
    }
}
