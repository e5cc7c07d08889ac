package io.stele.flink.changes;

import static java.util.Objects.requireNonNull;

import io.stele.client.lease.LeasedSnapshot;
import java.util.List;
import java.util.Optional;

/**
 * The part of a checkpoint that the enumerator of a source of changes has.
 *
 * @param isBegun whether the LSN is known at which the changes begin
 * @param held the lease on the history that readers may have to read again
 * @param splits those that no reader has
 */
record ChangeProgress(boolean isBegun, Optional<LeasedSnapshot> held, List<ChangeSplit> splits) {
    /** Nothing has begun. */
    static final ChangeProgress NONE = new ChangeProgress(false, Optional.empty(), List.of());

    ChangeProgress {
        requireNonNull(held, "held is null");
        splits = List.copyOf(splits);
    }
}
