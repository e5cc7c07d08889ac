package io.stele.protocol.schema;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.Lsn;

/**
 * A time to live of a table's rows that is in force from an LSN on, as stored in the catalog. Rows
 * that had expired by then never return, even if the time to live is raised later.
 *
 * <p>A step with the time to live of the previous step is a doubt: a later catalog version, which
 * may have changed the time to live, was given up. Readers follow it. But until the time to live is
 * set, only rows below its floor are removed: rows that had expired when the previous catalog
 * version was the newest.
 *
 * @param since readers at or above this LSN follow this step, up to the next step
 * @param millis age at which rows expire, in milliseconds; negative: they do not expire
 * @param floor rows below this LSN had expired before
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
