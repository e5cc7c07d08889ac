/**
 * What a node has once: its options, threads, clock, log, write memory, and all its shards.
 *
 * <p>Transactions, reads, recovery and maintenance may call it. It may touch shards, their
 * maintenance, the catalog and snapshots.
 */
@NullMarked
package io.stele.engine.node;

import org.jspecify.annotations.NullMarked;
