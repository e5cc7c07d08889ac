/**
 * One table in one shard: memtables, row files, column files with their delete vectors, flush and
 * compaction.
 */
@NullMarked
package io.stele.storage.tablet;

import org.jspecify.annotations.NullMarked;
