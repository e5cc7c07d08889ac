/**
 * The maintenance of the node: by timer, and on request as jobs over all shards of a table.
 *
 * <p>The engine's root may call it. It may touch everything below but reads and status.
 */
@NullMarked
package io.stele.engine.maintenance;

import org.jspecify.annotations.NullMarked;
