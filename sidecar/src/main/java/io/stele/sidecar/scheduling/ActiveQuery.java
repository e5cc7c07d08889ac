package io.stele.sidecar.scheduling;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.QueryIdentity;
import io.stele.scheduler.SchedulingGroup;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A query with open scans in a scheduling group: its claim to processor time, nested in the claim
 * of the group, and its scans. Its set of scans is changed under the lock of the group, and may be
 * read by any thread. The lent shares are guarded by that lock.
 */
final class ActiveQuery {
    private final Key key;
    private final QueryIdentity identity;
    private final SchedulingGroup claim;
    private final long sinceNanos;
    private final Set<QueryRead> reads = ConcurrentHashMap.newKeySet();
    private int lentShares;

    /**
     * The key of a query in its group. It has the user, so that no user joins another's query.
     *
     * @param number of a scan that is a query by itself; 0: the query has an id
     */
    record Key(String user, String queryId, long number) {
        static Key of(QueryIdentity identity, long number) {
            return new Key(
                    identity.user(), identity.queryId(), identity.queryId().isEmpty() ? number : 0);
        }
    }

    ActiveQuery(Key key, QueryIdentity identity, SchedulingGroup claim, long sinceNanos) {
        this.key = requireNonNull(key, "key is null");
        this.identity = requireNonNull(identity, "identity is null");
        this.claim = requireNonNull(claim, "claim is null");
        this.sinceNanos = sinceNanos;
    }

    Key key() {
        return key;
    }

    QueryIdentity identity() {
        return identity;
    }

    /** The claim of all its scans together, however many contexts they have. */
    SchedulingGroup claim() {
        return claim;
    }

    long sinceNanos() {
        return sinceNanos;
    }

    Set<QueryRead> reads() {
        return reads;
    }

    /** The shares of its own that other queries have now. */
    int lentShares() {
        return lentShares;
    }

    /** Adds to the lent shares; negative: they came back. */
    void lent(int count) {
        lentShares += count;
    }
}
