/**
 * The bounded scan of a table at one snapshot, shard by shard.
 *
 * <p>The root calls it. It touches tables, types and the client.
 */
@NullMarked
package io.stele.flink.source;

import org.jspecify.annotations.NullMarked;
