/**
 * Transactions over shards: from their beginning to their decision, and the files that they add.
 *
 * <p>Reads, recovery, maintenance and the engine's root may call it. It may touch the node and the
 * catalog.
 */
@NullMarked
package io.stele.engine.transaction;

import org.jspecify.annotations.NullMarked;
