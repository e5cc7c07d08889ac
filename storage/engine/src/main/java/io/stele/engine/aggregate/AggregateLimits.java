package io.stele.engine.aggregate;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;

/**
 * The limits on the groups of an aggregation in memory at once, by number and bytes. An aggregation
 * that exceeds them is computed in several passes, each over some of the groups. Immutable.
 *
 * @param maxBytes the limit for one state in memory; a query has about as many states as parts are
 *     read at once
 */
record AggregateLimits(int maxGroups, long maxBytes) {
    AggregateLimits {
        if (maxGroups < 1 || maxBytes < 1) {
            throw new IllegalArgumentException(
                    "Expected room for a group, found %s groups and %s bytes"
                            .formatted(maxGroups, maxBytes));
        }
    }

    /**
     * Whether a state exceeds the limits of one pass.
     *
     * @throws SteleException TOO_MANY_GROUPS if fewer groups would not help
     */
    boolean isExceeded(GroupedState state, GroupRange range) {
        long bytes = state.sizeBytes();
        boolean exceeded = state.groupCount() > maxGroups || bytes > maxBytes;
        if (exceeded && (state.groupCount() <= 1 || !range.canSplit())) {
            throw new SteleException(
                    ErrorCode.TOO_MANY_GROUPS,
                    "Expected results of at most %s bytes for a group of an aggregation that the sidecar computes (stele.aggregation.max-size), found %s bytes; with the session property aggregation_pushdown_enabled = false Trino computes it"
                            .formatted(maxBytes, bytes));
        }
        return exceeded;
    }
}
