/**
 * Table group shards: the log records of a shard, their application in order, and what makes a
 * repeated write harmless.
 */
@NullMarked
package io.stele.storage.shard;

import org.jspecify.annotations.NullMarked;
