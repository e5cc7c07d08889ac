package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

/**
 * The present load of one query in a scheduling group of a sidecar, from the begin of its first
 * open scan to the end of its last one.
 *
 * @param group the scheduling group of its scans
 * @param queryId as the client gave it; empty: it gave none, and this is a single scan
 * @param user as the client gave it; empty: not given. This holds for the next two values
 * @param elapsedNanos since its first scan that is still open, or was followed by another one
 * @param shares the weight of the query among the queries of its group that have work
 * @param entitledShare the part (0 to 1) of the processor time of all groups in the last ten
 *     seconds to which its shares entitled it while it had work
 * @param cpuShare the part of that time that it used
 * @param cpuNanos the processor time that it used
 * @param contexts the contexts of its open scans
 * @param runnable contexts that have work
 * @param waiting runnable contexts that wait for a worker
 * @param running admitted scans
 * @param queued scans that wait for admission
 * @param paused scans whose clients receive nothing
 * @param reservedBytes memory that its admitted scans may use
 */
public record QueryStatus(
        String group,
        String queryId,
        String user,
        String source,
        String resourceGroup,
        long elapsedNanos,
        int shares,
        double entitledShare,
        double cpuShare,
        long cpuNanos,
        long contexts,
        long runnable,
        long waiting,
        long running,
        long queued,
        long paused,
        long reservedBytes) {
    public QueryStatus {
        requireNonNull(group, "group is null");
        requireNonNull(queryId, "queryId is null");
        requireNonNull(user, "user is null");
        requireNonNull(source, "source is null");
        requireNonNull(resourceGroup, "resourceGroup is null");
    }
}
