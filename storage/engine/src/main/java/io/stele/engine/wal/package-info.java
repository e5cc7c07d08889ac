/**
 * The write-ahead log of a node: one durable sequence of records shared by all shards of a process.
 *
 * <p>Shards and the engine's root may call it. It may touch object stores, and Hadoop for a log on
 * HDFS, which appends and no object store does.
 */
@NullMarked
package io.stele.engine.wal;

import org.jspecify.annotations.NullMarked;
