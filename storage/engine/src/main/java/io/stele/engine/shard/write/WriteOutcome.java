package io.stele.engine.shard.write;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;

/**
 * The result of a batch that was applied, as its writer receives it.
 *
 * @param lsn at or after which every reader sees the batch
 * @param skipped operations without effect: inserts of keys that were present, updates of keys that
 *     were absent
 */
public record WriteOutcome(Lsn lsn, int skipped) {
    public WriteOutcome {
        requireNonNull(lsn, "lsn is null");
        if (skipped < 0) {
            throw new IllegalArgumentException("Expected skipped >= 0, found " + skipped);
        }
    }
}
