package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.UUID;

/**
 * The last batches of a writer that a shard decided, so that one that comes again is answered as it
 * was.
 *
 * @param floor of sequences at or below it only those in {@code batches} are known
 * @param batches by ascending sequence; a sequence above the floor that is not there was not
 *     decided
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
