/**
 * The way of a batch from its writer to the log: its check, its evaluation against the present
 * rows, and its throttle.
 *
 * <p>Shards may call it. It may touch tablets and scans.
 */
@NullMarked
package io.stele.engine.shard.write;

import org.jspecify.annotations.NullMarked;
