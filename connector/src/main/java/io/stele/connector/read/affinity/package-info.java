/**
 * The choice of the preferred workers of files. May be called by {@code read.split}, {@code
 * read.opening} and the root package. May touch no other package of the connector.
 */
@NullMarked
package io.stele.connector.read.affinity;

import org.jspecify.annotations.NullMarked;
