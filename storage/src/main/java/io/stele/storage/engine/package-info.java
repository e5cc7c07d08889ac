/**
 * The storage engine of a node: the one entrance to catalog, shards, transactions, read points,
 * scans and recovery.
 */
@NullMarked
package io.stele.storage.engine;

import org.jspecify.annotations.NullMarked;
