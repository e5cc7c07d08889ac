package io.stele.storage.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;

/**
 * What became of a batch.
 *
 * @param lsn at or after which every reader sees it
 * @param skipped operations without effect: inserts of keys that were there, updates of keys that
 *     were not
 */
public record WriteOutcome(Lsn lsn, int skipped) {
    public WriteOutcome {
        requireNonNull(lsn, "lsn is null");
        if (skipped < 0) {
            throw new IllegalArgumentException("Expected skipped >= 0, found " + skipped);
        }
    }
}
