/**
 * The storage engine of a node: the only entrance to catalog, shards, transactions, snapshots,
 * scans and recovery.
 */
@NullMarked
package io.stele.storage.engine;

import org.jspecify.annotations.NullMarked;
