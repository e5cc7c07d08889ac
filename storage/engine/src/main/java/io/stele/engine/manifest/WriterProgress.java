package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.UUID;

/**
 * The last decided batches of a writer in a shard, stored so that a repeated batch gets the same
 * answer.
 *
 * @param floor the sequence at or below which only the outcomes of sequences in {@code batches} are
 *     known
 * @param batches by ascending sequence; a sequence above the floor that is missing was not decided
 */
public record WriterProgress(UUID writerId, long floor, List<DecidedBatch> batches) {
    public WriterProgress {
        requireNonNull(writerId, "writerId is null");
        batches = List.copyOf(batches);
        for (int i = 1; i < batches.size(); i++) {
            if (batches.get(i - 1).sequence() >= batches.get(i).sequence()) {
                throw new IllegalArgumentException(
                        "Expected ascending sequences of writer %s, found %d before %d"
                                .formatted(
                                        writerId,
                                        batches.get(i - 1).sequence(),
                                        batches.get(i).sequence()));
            }
        }
    }
}
