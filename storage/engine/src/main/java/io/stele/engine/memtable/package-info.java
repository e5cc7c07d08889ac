/**
 * Memtables: the newest rows of a table in memory, in all their versions.
 *
 * <p>Indexes, tablets and all above them may call it. It may touch versions of rows.
 */
@NullMarked
package io.stele.engine.memtable;

import org.jspecify.annotations.NullMarked;
