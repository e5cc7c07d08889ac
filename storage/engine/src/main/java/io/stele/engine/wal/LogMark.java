package io.stele.engine.wal;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * A place in a log that is durable: every later look at the log finds this group or one after it.
 *
 * @param logId which log
 * @param sequence of the last group that is known to be durable; 0 if none is
 */
public record LogMark(@JsonProperty("logId") LogId logId, @JsonProperty("sequence") long sequence) {
    /** Nothing is known of the log, and it has no id. */
    public static final LogMark NONE = new LogMark(LogId.NONE, 0);

    public LogMark {
        requireNonNull(logId, "logId is null");
        if (sequence < 0) {
            throw new IllegalArgumentException(
                    "Expected a group sequence of 0 or more, found " + sequence);
        }
    }
}
