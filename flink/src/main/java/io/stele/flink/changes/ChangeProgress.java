package io.stele.flink.changes;

import static java.util.Objects.requireNonNull;

import io.stele.client.lease.LeasedSnapshot;
import java.util.List;
import java.util.Optional;

/**
 * The enumerator's part of a checkpoint of a change source. Immutable.
 *
 * @param isBegun whether the LSN at which the changes begin is known
 * @param held the lease on the history that readers may have to read again
 * @param splits the splits that no reader has
 */
record ChangeProgress(boolean isBegun, Optional<LeasedSnapshot> held, List<ChangeSplit> splits) {
    /** The state of a new job. */
    static final ChangeProgress NONE = new ChangeProgress(false, Optional.empty(), List.of());

    ChangeProgress {
        requireNonNull(held, "held is null");
        splits = List.copyOf(splits);
    }
}
