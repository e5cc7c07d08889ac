/**
 * The start of an engine from what is stored: manifests, log and undecided transactions, and what
 * was damaged and given up.
 *
 * <p>Maintenance and the engine's root may call it. It may touch the node, transactions and the
 * catalog.
 */
@NullMarked
package io.stele.engine.recovery;

import org.jspecify.annotations.NullMarked;
