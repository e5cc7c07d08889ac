/**
 * One table in one shard: memtables, SST files, column files with their deletion vectors, flush and
 * compaction.
 *
 * <p>Scans, shards and all above them may call it. It may touch manifests and files.
 */
@NullMarked
package io.stele.engine.tablet;

import org.jspecify.annotations.NullMarked;
