package io.stele.storage.shard;

/**
 * How a shard applies its log.
 *
 * @param lanes that apply side by side
 * @param laneDepth groups of records that some lane is not through with
 * @param pendingRecords that are durable and not applied
 * @param barrierWaits how often something waited for the lanes to rest, since the start
 */
public record ApplyStatus(int lanes, int laneDepth, long pendingRecords, long barrierWaits) {}
