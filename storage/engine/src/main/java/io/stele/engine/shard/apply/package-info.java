/**
 * The apply workers of a shard: the groups of records that they share, and how many workers there
 * are.
 *
 * <p>Shards may call it. It may touch tablets and the log.
 */
@NullMarked
package io.stele.engine.shard.apply;

import org.jspecify.annotations.NullMarked;
