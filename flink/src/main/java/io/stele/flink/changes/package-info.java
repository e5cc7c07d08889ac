/**
 * The unbounded source of a table's changes: a snapshot first where it is wanted, then commit by
 * commit, shard by shard.
 *
 * <p>The root calls it. It touches tables, types, the bounded scan and the client.
 */
@NullMarked
package io.stele.flink.changes;

import org.jspecify.annotations.NullMarked;
