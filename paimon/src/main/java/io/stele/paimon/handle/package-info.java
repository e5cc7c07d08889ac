/**
 * The handles that coordinator and workers exchange, of tables, columns and splits.
 *
 * <p>May be called by all packages of this module. May touch nothing of it.
 */
@NullMarked
package io.stele.paimon.handle;

import org.jspecify.annotations.NullMarked;
