/**
 * The storage engine of a node: the only entrance to catalog, shards, transactions, snapshots,
 * scans and recovery.
 *
 * <p>The sidecar and benchmarks may call it. It may touch all packages below.
 */
@NullMarked
package io.stele.engine;

import org.jspecify.annotations.NullMarked;
