/**
 * Leased snapshots, the history of rows that is retained for them, and the readers that may still
 * use files.
 *
 * <p>The node and all above it may call it. It may touch the catalog and views of tablets.
 */
@NullMarked
package io.stele.engine.snapshot;

import org.jspecify.annotations.NullMarked;
