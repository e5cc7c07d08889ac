/**
 * Statistics of tables for the optimizer, and the versions of the metadata that other nodes cache.
 *
 * <p>The engine's root may call it. It may touch the node, tablets and the catalog.
 */
@NullMarked
package io.stele.engine.statistics;

import org.jspecify.annotations.NullMarked;
