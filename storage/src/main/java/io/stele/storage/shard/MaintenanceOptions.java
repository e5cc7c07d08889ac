package io.stele.storage.shard;

/**
 * When a shard flushes and merges.
 *
 * @param memTableBytes size at which a table's memtable is sealed
 * @param memTableAgeMillis age at which it is sealed whatever its size
 * @param targetFileBytes size of merged files, about
 */
public record MaintenanceOptions(
        long memTableBytes, long memTableAgeMillis, long targetFileBytes) {}
