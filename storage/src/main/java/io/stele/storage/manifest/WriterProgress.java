package io.stele.storage.manifest;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The last batch of a writer that a shard decided: a batch with a sequence at or below is a
 * repetition, and is answered with {@code lsn} instead of being applied again.
 *
 * @param refused sequences among the last ones that changed nothing because of what was there, and
 *     are answered with this code; left out if there are none
 */
public record WriterProgress(
        @JsonProperty("writerId") UUID writerId,
        @JsonProperty("sequence") long sequence,
        @JsonProperty("lsn") Lsn lsn,
        @JsonProperty("refused") @JsonInclude(JsonInclude.Include.NON_EMPTY)
                Map<Long, ErrorCode> refused) {
    public WriterProgress {
        requireNonNull(writerId, "writerId is null");
        requireNonNull(lsn, "lsn is null");
        refused = new TreeMap<>(requireNonNullElse(refused, Map.of()));
    }

    /** Of a writer none of whose last batches was refused. */
    public WriterProgress(UUID writerId, long sequence, Lsn lsn) {
        this(writerId, sequence, lsn, Map.of());
    }
}
