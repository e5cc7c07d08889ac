package io.stele.protocol.api.maintenance;

import java.util.Locale;

/** The states of a job on a table, from queued to ended. */
public enum JobState {
    /** The job waits for others of its kind. */
    QUEUED,
    RUNNING,
    FINISHED,
    FAILED,
    CANCELLED;

    /** Whether the state is final. */
    public boolean hasEnded() {
        return switch (this) {
            case QUEUED, RUNNING -> false;
            case FINISHED, FAILED, CANCELLED -> true;
        };
    }

    /** The name in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
