/**
 * Reading a shard's rows at a snapshot.
 *
 * <p>Shards, aggregations and reads may call it. It may touch tablets and files.
 */
@NullMarked
package io.stele.engine.scan;

import org.jspecify.annotations.NullMarked;
