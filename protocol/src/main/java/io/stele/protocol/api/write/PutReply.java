package io.stele.protocol.api.write;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;

/**
 * The metadata of the PutResult that replies to one batch of a Flight DoPut; replies are in the
 * order of the batches.
 *
 * @param lsn at or after which every reader sees the batch; {@link Lsn#MIN} for a staged batch
 * @param sequence the sequence of the batch
 * @param rowCount rows of the batch
 * @param skippedCount rows of the batch without effect, by the put's mode; 0 for a staged batch,
 *     whose rows are checked when its transaction commits
 */
public record PutReply(Lsn lsn, long sequence, long rowCount, long skippedCount) {
    public PutReply {
        requireNonNull(lsn, "lsn is null");
    }
}
