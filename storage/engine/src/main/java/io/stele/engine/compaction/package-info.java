/**
 * Flushes, compactions and trivial moves of one table: the planner, the jobs, and what each changes
 * in the manifest.
 *
 * <p>The maintenance of shards and of the node may call it. It may touch tablets and the writers of
 * files.
 */
@NullMarked
package io.stele.engine.compaction;

import org.jspecify.annotations.NullMarked;
