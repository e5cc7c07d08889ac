package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import java.util.Optional;

/**
 * The outcome of a batch of an ingesting writer, recorded in the manifest so that a repeated batch
 * gets the same answer.
 *
 * @param lsn of the log record that decided the batch
 * @param skipped the number of operations without effect; 0 for a refused batch
 * @param refusal the reason, if the batch was refused because of existing rows and changed nothing
 */
public record DecidedBatch(long sequence, Lsn lsn, int skipped, Optional<Refusal> refusal) {
    public DecidedBatch {
        requireNonNull(lsn, "lsn is null");
        requireNonNull(refusal, "refusal is null");
        if (skipped < 0 || (skipped > 0 && refusal.isPresent())) {
            throw new IllegalArgumentException(
                    "Expected 0 or more skipped operations, and none of a refused batch, found "
                            + skipped);
        }
    }

    /** An applied batch. */
    public static DecidedBatch applied(long sequence, Lsn lsn, int skipped) {
        return new DecidedBatch(sequence, lsn, skipped, Optional.empty());
    }

    /** A refused batch. */
    public static DecidedBatch refused(long sequence, Lsn lsn, ErrorCode code, String message) {
        return new DecidedBatch(sequence, lsn, 0, Optional.of(new Refusal(code, message)));
    }

    /** The answer to a batch that was refused. */
    public record Refusal(ErrorCode code, String message) {
        public Refusal {
            requireNonNull(code, "code is null");
            requireNonNull(message, "message is null");
        }
    }
}
