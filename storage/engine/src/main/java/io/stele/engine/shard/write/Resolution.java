package io.stele.engine.shard.write;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.SteleException;
import io.stele.protocol.wire.WriteBatchReader;

/**
 * The result of the evaluation of a batch against the present rows of its keys, before it is
 * logged: accepted, refused, or not decided yet.
 */
public sealed interface Resolution {
    /**
     * The batch is accepted, and will be logged.
     *
     * @param batch of plain operations
     * @param skipped the number of operations without effect, which are not in the batch
     */
    record Accepted(WriteBatchReader batch, int skipped) implements Resolution {
        public Accepted {
            requireNonNull(batch, "batch is null");
        }
    }

    /** The batch is refused: nothing of it is written, and its client gets the cause. */
    record Refused(SteleException cause) implements Resolution {
        public Refused {
            requireNonNull(cause, "cause is null");
        }
    }

    /** The batch is undecided, since lookups in files are open. */
    record Undecided() implements Resolution {}
}
