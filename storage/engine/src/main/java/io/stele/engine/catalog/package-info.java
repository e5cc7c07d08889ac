/**
 * Schemas, tables and table groups: their versioned snapshots and the one authority that changes
 * them.
 *
 * <p>Snapshots, the node and all above it may call it. It may touch the versioned objects of {@code
 * manifest} and object stores.
 */
@NullMarked
package io.stele.engine.catalog;

import org.jspecify.annotations.NullMarked;
