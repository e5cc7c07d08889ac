package io.stele.engine.wal;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * A place in a log that is durable: every later read of the log finds this group or one after it.
 *
 * @param logId the id of the log
 * @param sequence of the last group that is certainly durable; 0 if there is none
 */
public record LogMark(@JsonProperty("logId") LogId logId, @JsonProperty("sequence") long sequence) {
    /** No mark: the log has no id and no durable group. */
    public static final LogMark NONE = new LogMark(LogId.NONE, 0);

    public LogMark {
        requireNonNull(logId, "logId is null");
        if (sequence < 0) {
            throw new IllegalArgumentException(
                    "Expected a group sequence of 0 or more, found " + sequence);
        }
    }
}
