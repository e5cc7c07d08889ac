/** Types, columns and tables as every floor and every client names them. */
@NullMarked
package io.stele.protocol.schema;

import org.jspecify.annotations.NullMarked;
