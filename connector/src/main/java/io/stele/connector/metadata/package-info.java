/** Catalog operations: schemas, tables, pushdown, statistics and the begin and end of writes. */
@NullMarked
package io.stele.connector.metadata;

import org.jspecify.annotations.NullMarked;
