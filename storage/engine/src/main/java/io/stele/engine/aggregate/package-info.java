/**
 * Aggregations of a table's rows, file by file over vectors of columns.
 *
 * <p>Reads and the engine's root may call it. It may touch scans, tablets and column files.
 */
@NullMarked
package io.stele.engine.aggregate;

import org.jspecify.annotations.NullMarked;
