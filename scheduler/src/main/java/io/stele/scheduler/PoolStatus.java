package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * A snapshot of a context pool's workers, groups and counters since its creation, for metrics and
 * status reports.
 *
 * @param workers number of workers
 * @param idleWorkers workers that wait for work now
 * @param switches turns of contexts
 * @param overruns turns that lasted more than twice the quantum
 * @param steals moves of contexts from a busy worker to an idle worker
 * @param migrations moves of contexts to balance the load
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
