/**
 * Reads of tables over all shards of the node: plans, scans, lookups by key and by index,
 * aggregations.
 *
 * <p>The engine's root may call it. It may touch the node, scans and aggregations.
 */
@NullMarked
package io.stele.engine.read;

import org.jspecify.annotations.NullMarked;
