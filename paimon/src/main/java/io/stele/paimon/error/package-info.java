/**
 * The errors of the connector, for Trino.
 *
 * <p>May be called by all packages of this module. May touch nothing of it.
 */
@NullMarked
package io.stele.paimon.error;

import org.jspecify.annotations.NullMarked;
