/**
 * Reading a shard's rows at a read point.
 *
 * <p>Shards, aggregations and the engine's root may call it. It may touch tablets and files.
 */
@NullMarked
package io.stele.engine.scan;

import org.jspecify.annotations.NullMarked;
