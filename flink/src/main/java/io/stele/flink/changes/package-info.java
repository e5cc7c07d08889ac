/**
 * The unbounded source of a table's changes: an optional snapshot first, then each shard's commits
 * in order.
 *
 * <p>The root calls it. It touches tables, types, the bounded scan and the client.
 */
@NullMarked
package io.stele.flink.changes;

import org.jspecify.annotations.NullMarked;
