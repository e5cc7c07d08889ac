package io.stele.flink.sink;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.UUID;

/**
 * The rows that one transaction commits: those of a subtask between two checkpoints, or a part of
 * them. Flink stores it in the checkpoint, so the rows survive failures of the sidecar, the task
 * and the job. Immutable.
 *
 * <p>Invariant: {@code writerId} and {@code sequence} identify it forever; two parts of a
 * checkpoint have no key in common.
 *
 * @param writerId random, for one attempt of one subtask
 * @param sequence number among the committables of the writer, from 1
 * @param schemaJson the table when the rows were encoded
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Committable(UUID writerId, long sequence, byte[] schemaJson, List<RowGroup> groups) {
    Committable {
        requireNonNull(writerId, "writerId is null");
        requireNonNull(schemaJson, "schemaJson is null");
        groups = List.copyOf(groups);
        if (sequence < 1) {
            throw new IllegalArgumentException("Expected sequence >= 1, found " + sequence);
        }
    }

    long rowCount() {
        return groups.stream().mapToLong(RowGroup::rowCount).sum();
    }

    long sizeBytes() {
        return groups.stream().mapToLong(group -> group.rows().length).sum();
    }

    /** The identity, without the rows. */
    @Override
    public String toString() {
        return "%s-%d (%d rows)".formatted(writerId, sequence, rowCount());
    }
}
