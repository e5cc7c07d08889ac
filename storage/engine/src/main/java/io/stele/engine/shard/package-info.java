/**
 * Table group shards: the log records of a shard and their application in order.
 *
 * <p>The maintenance of shards, the node and all above it may call it. It may touch the packages of
 * writes, records and apply workers, tablets and the log.
 */
@NullMarked
package io.stele.engine.shard;

import org.jspecify.annotations.NullMarked;
