/**
 * The write-ahead log of a node: one durable sequence of records shared by all shards of a process.
 */
@NullMarked
package io.stele.storage.wal;

import org.jspecify.annotations.NullMarked;
