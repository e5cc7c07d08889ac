/**
 * The files of a lake
 *
 * <p>Paimon's {@code FileIO} over the object store, retrieval and data page cache.:May be called by
 * all packages of this module. May touch {@code config}.
 */
@NullMarked
package io.stele.paimon.store;

import org.jspecify.annotations.NullMarked;
