/** The handles that coordinator and workers exchange, of tables, columns, splits and writes. */
@NullMarked
package io.stele.connector.handle;

import org.jspecify.annotations.NullMarked;
