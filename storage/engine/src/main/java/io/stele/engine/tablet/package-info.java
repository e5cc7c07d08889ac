/**
 * One table in one shard: its memtables, its files and its indexes, as one view for readers.
 *
 * <p>Compactions, scans, shards and all above them may call it. It may touch memtables, data files
 * and indexes.
 */
@NullMarked
package io.stele.engine.tablet;

import org.jspecify.annotations.NullMarked;
