/**
 * The handles that coordinator and workers exchange, of tables, columns, splits and writes. May be
 * called by every package of the connector. May touch no other package of it.
 */
@NullMarked
package io.stele.connector.handle;

import org.jspecify.annotations.NullMarked;
