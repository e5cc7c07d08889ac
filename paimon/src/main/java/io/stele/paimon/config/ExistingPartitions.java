package io.stele.paimon.config;

/**
 * The values of the session property that decides whether an INSERT keeps or replaces earlier rows
 * of the partitions that it writes to.
 */
enum ExistingPartitions {
    APPEND,
    OVERWRITE
}
