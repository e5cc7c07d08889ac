package io.stele.engine.shard.maintenance;

/**
 * Options of the flushes and compactions of a shard: the limits of its memtables, and the size of
 * its files.
 *
 * @param memTableBytes size in bytes at which a table's memtable is sealed
 * @param memTableAgeMillis age at which a memtable is sealed at any size; a multiple of this age
 *     where a flush would write many tiny files
 * @param targetFileBytes approximate size of files written by compactions
 */
public record MaintenanceOptions(
        long memTableBytes, long memTableAgeMillis, long targetFileBytes) {}
