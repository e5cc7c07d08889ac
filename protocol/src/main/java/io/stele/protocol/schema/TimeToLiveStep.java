package io.stele.protocol.schema;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.Lsn;

/**
 * The time to live of a table's rows from an LSN on, as the catalog stores it: rows that had
 * expired by then never return, even if the time to live is raised later.
 *
 * <p>A step with the time to live of the one before is a doubt: a catalog version after that one
 * was given up, which may have changed it. Readers follow it, but until somebody sets the time to
 * live no more rows are removed than those below its floor: those that had expired when the catalog
 * version before was the newest.
 *
 * @param since readers at or above follow this step, up to the next one
 * @param millis age at which rows disappear, in milliseconds; negative: they do not
 * @param floor rows below had expired before
 */
public record TimeToLiveStep(
        @JsonProperty("since") Lsn since,
        @JsonProperty("millis") long millis,
        @JsonProperty("floor") Lsn floor) {
    private static final int MILLIS_SHIFT = 16; // of an LSN

    public TimeToLiveStep {
        requireNonNull(since, "since is null");
        requireNonNull(floor, "floor is null");
    }

    long firstVisibleLsn(long readLsn) {
        return millis < 0
                ? floor.value()
                : Math.max(floor.value(), readLsn - (millis << MILLIS_SHIFT));
    }
}
