package io.stele.protocol.api.maintenance;

import java.util.Locale;

/** The states of a job on a table, from queued to ended. */
public enum JobState {
    /** Others of its kind go first. */
    QUEUED,
    RUNNING,
    FINISHED,
    FAILED,
    CANCELLED;

    /** Whether nothing happens to it any more. */
    public boolean hasEnded() {
        return switch (this) {
            case QUEUED, RUNNING -> false;
            case FINISHED, FAILED, CANCELLED -> true;
        };
    }

    /** Its name for people. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
