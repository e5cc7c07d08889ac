/**
 * The bounded source, which scans a table at one snapshot, shard by shard.
 *
 * <p>The root and the source of changes call it. It touches tables, types and the client.
 */
@NullMarked
package io.stele.flink.source;

import org.jspecify.annotations.NullMarked;
