/**
 * The payloads of the log records of a shard, and the parts of transactions that they make.
 *
 * <p>Shards and the engine's recovery may call it. It may touch the log and manifests.
 */
@NullMarked
package io.stele.engine.shard.record;

import org.jspecify.annotations.NullMarked;
