package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The stored form of a writer's progress in manifests before format version 6, which is only read.
 * It has the highest decided sequence, and the last refused sequences.
 */
record StoredWriter(
        @JsonProperty("writerId") UUID writerId,
        @JsonProperty("sequence") long sequence,
        @JsonProperty("lsn") Lsn lsn,
        @JsonProperty("refused") Map<Long, ErrorCode> refused) {
    StoredWriter {
        requireNonNull(writerId, "writerId is null");
        requireNonNull(lsn, "lsn is null");
        refused = new TreeMap<>(requireNonNullElse(refused, Map.of()));
    }

    WriterProgress toProgress() {
        List<DecidedBatch> batches = new ArrayList<>();
        refused.forEach(
                (number, code) ->
                        batches.add(
                                DecidedBatch.refused(
                                        number,
                                        lsn,
                                        code,
                                        "The batch was refused before the last restart, which forgot the details")));
        if (!refused.containsKey(sequence)) {
            batches.add(DecidedBatch.applied(sequence, lsn, 0));
        }
        return new WriterProgress(writerId, sequence, batches);
    }
}
