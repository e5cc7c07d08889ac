/**
 * The files of a lake: Paimon's {@code FileIO} over the object stores, retrieval and data page
 * cache.
 *
 * <p>May be called by all packages of this module. May touch {@code config}.
 */
@NullMarked
package io.stele.paimon.store;

import org.jspecify.annotations.NullMarked;
