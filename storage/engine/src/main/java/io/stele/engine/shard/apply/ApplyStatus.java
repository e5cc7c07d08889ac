package io.stele.engine.shard.apply;

/**
 * The status of the application of a shard's log, for monitoring: its apply workers, its backlog,
 * and a counter of waits.
 *
 * @param workers the apply workers in use
 * @param groupsInFlight groups of records that some worker has not finished
 * @param pendingRecords records that are durable and not applied
 * @param barrierWaits how often a task waited for the workers to be idle, since the start
 */
public record ApplyStatus(
        int workers, int groupsInFlight, long pendingRecords, long barrierWaits) {}
