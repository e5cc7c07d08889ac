package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * A pool of workers at one moment; counts are since it was made.
 *
 * @param workers how many it has
 * @param idleWorkers those that wait for work now
 * @param switches turns of contexts
 * @param overruns turns that lasted more than twice the quantum
 * @param steals contexts that an idle worker was given by a busy one
 * @param migrations contexts that were moved to even out the load
 */
public record PoolStatus(
        int workers,
        int idleWorkers,
        long switches,
        long overruns,
        long steals,
        long migrations,
        List<GroupStatus> groups) {
    public PoolStatus {
        groups = List.copyOf(requireNonNull(groups, "groups is null"));
    }
}
