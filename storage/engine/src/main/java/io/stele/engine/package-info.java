/**
 * The storage engine of a node: its assembly, and the one entrance to catalog, shards,
 * transactions, snapshots and reads.
 *
 * <p>The sidecar and benchmarks may call it. It may touch all packages below.
 */
@NullMarked
package io.stele.engine;

import org.jspecify.annotations.NullMarked;
