package io.stele.paimon.config;

/** The choice of what an INSERT does with earlier rows of the partitions that it writes to. */
enum ExistingPartitions {
    APPEND,
    OVERWRITE
}
