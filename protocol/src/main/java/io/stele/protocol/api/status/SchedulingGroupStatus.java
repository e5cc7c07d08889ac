package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

import java.util.OptionalLong;

/**
 * The load of a scheduling group of a sidecar, or of a pool of blocking tasks, at one point in
 * time. Counts begin at the start of the sidecar. A field that does not apply is 0.
 *
 * @param pool {@code contexts}, or the name of a pool of blocking tasks
 * @param group the group in that pool; the pool's name if it has no groups
 * @param shares the weight of the group relative to other groups
 * @param entitledShare the part (0 to 1) of the processor time of all groups in the last ten
 *     seconds to which its shares entitled it while it had work
 * @param cpuShare the part of that time that it used
 * @param runnable contexts that have work
 * @param waiting runnable contexts that wait for a worker; in a pool, tasks that wait for a thread
 * @param running admitted scans, or lookups; in a pool, tasks that have a thread
 * @param queued scans that wait for admission
 * @param switches turns of its contexts; in a pool, tasks that have ended
 * @param quantumOverruns turns of more than twice the quantum
 * @param steals contexts that moved from a busy worker to an idle one
 * @param rejected reads that were refused with BUSY
 * @param reservedBytes memory that its admitted scans may use
 * @param maxReservedBytes the limit of that; empty: none
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
        long rejected,
        long reservedBytes,
        OptionalLong maxReservedBytes) {
    public SchedulingGroupStatus {
        requireNonNull(pool, "pool is null");
        requireNonNull(group, "group is null");
        requireNonNull(maxReservedBytes, "maxReservedBytes is null");
    }
}
