package io.stele.engine.shard;

/**
 * The status of the application of a shard's log: its apply workers (lanes), its backlog, and a
 * counter of waits.
 *
 * @param lanes that apply in parallel
 * @param laneDepth groups of records that some lane has not finished
 * @param pendingRecords that are durable and not applied
 * @param barrierWaits how often something waited for the lanes to be idle, since the start
 */
public record ApplyStatus(int lanes, int laneDepth, long pendingRecords, long barrierWaits) {}
