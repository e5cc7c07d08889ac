package io.stele.storage.aggregate;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;

/**
 * How large the result of an aggregation may become. Immutable.
 *
 * @param maxBytes of one state in memory; a query has about as many as parts are read at once
 */
record AggregateLimits(int maxGroups, long maxBytes) {
    /** 64 MiB: some hundred thousand groups, of which a sidecar has room for a few queries. */
    static final long MAX_STATE_BYTES = 64 << 20;

    void check(GroupedState state) {
        if (state.groupCount() > maxGroups) {
            throw tooLarge("at most " + maxGroups + " groups", "more");
        }
        long bytes = state.sizeBytes();
        if (bytes > maxBytes) {
            throw tooLarge(
                    "groups of at most " + maxBytes + " bytes",
                    state.groupCount() + " groups of " + bytes + " bytes");
        }
    }

    private static SteleException tooLarge(String expected, String found) {
        return new SteleException(
                ErrorCode.TOO_MANY_GROUPS,
                "Expected %s in an aggregation that the sidecar computes, found %s; with the session property aggregation_pushdown_enabled = false Trino computes it"
                        .formatted(expected, found));
    }
}
