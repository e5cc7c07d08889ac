package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

/**
 * A scheduling group of a sidecar, or a pool of tasks that may wait, at one moment; counts are
 * since the sidecar started. What a line has no meaning for is 0.
 *
 * @param pool {@code contexts}, or the name of a pool of tasks that may wait
 * @param group in that pool; the pool's name where it has no groups
 * @param shares its claim beside other groups
 * @param entitledShare of the processor time that all groups used in the last ten seconds, the part
 *     that its shares came to while it had something to do
 * @param cpuShare the part that it used
 * @param runnable contexts that have something to do
 * @param waiting of these, the ones that wait for a worker; tasks that wait for a thread
 * @param running scans that were let in, or lookups; tasks that have a thread
 * @param queued scans that wait to be let in
 * @param switches turns of its contexts; tasks that have ended
 * @param quantumOverruns turns of more than twice the quantum
 * @param steals contexts that an idle worker was given by a busy one
 * @param rejected reads that were told BUSY
 */
public record SchedulingGroupStatus(
        String pool,
        String group,
        int shares,
        double entitledShare,
        double cpuShare,
        long runnable,
        long waiting,
        long running,
        long queued,
        long switches,
        long quantumOverruns,
        long steals,
        long rejected) {
    public SchedulingGroupStatus {
        requireNonNull(pool, "pool is null");
        requireNonNull(group, "group is null");
    }
}
