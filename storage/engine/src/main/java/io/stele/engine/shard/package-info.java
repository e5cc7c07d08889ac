/**
 * Table group shards: the log records of a shard, their application in order, and what makes a
 * repeated write harmless.
 *
 * <p>The engine's root may call it. It may touch tablets, scans, manifests, the log and jobs.
 */
@NullMarked
package io.stele.engine.shard;

import org.jspecify.annotations.NullMarked;
