package io.stele.engine.recovery;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.engine.wal.LogId;

/**
 * The identity of a warehouse's write-ahead log, which a start compares with the log that it finds.
 * It is the JSON body of one version of {@code named-log/}.
 *
 * @param logId the id of the log
 * @param begun whether the log was written with this id: from then on there is a log
 */
public record NamedLog(@JsonProperty("logId") LogId logId, @JsonProperty("begun") boolean begun) {
    public NamedLog {
        requireNonNull(logId, "logId is null");
    }
}
