package io.stele.storage.manifest;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.Lsn;
import java.util.UUID;

/**
 * The last batch of a writer that a shard applied: a batch with a sequence at or below is a
 * repetition, and is answered with {@code lsn} instead of being applied again.
 */
public record WriterProgress(
        @JsonProperty("writerId") UUID writerId,
        @JsonProperty("sequence") long sequence,
        @JsonProperty("lsn") Lsn lsn) {
    public WriterProgress {
        requireNonNull(writerId, "writerId is null");
        requireNonNull(lsn, "lsn is null");
    }
}
