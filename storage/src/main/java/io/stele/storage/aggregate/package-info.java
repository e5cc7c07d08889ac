/** Aggregations of a table's rows, file by file over vectors of columns. */
@NullMarked
package io.stele.storage.aggregate;

import org.jspecify.annotations.NullMarked;
