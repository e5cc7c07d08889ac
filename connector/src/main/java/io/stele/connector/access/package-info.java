/**
 * The access control of a catalog. May be called by the root package alone. May touch {@code
 * config}.
 */
@NullMarked
package io.stele.connector.access;

import org.jspecify.annotations.NullMarked;
