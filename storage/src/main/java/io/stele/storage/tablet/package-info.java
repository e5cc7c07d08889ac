/**
 * One table in one shard: memtables, SST files, column files with their deletion vectors, flush and
 * compaction.
 */
@NullMarked
package io.stele.storage.tablet;

import org.jspecify.annotations.NullMarked;
