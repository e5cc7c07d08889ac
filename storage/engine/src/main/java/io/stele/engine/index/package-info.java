/**
 * Secondary indexes: the encoding of their entries, their memtables, and a view for readers.
 *
 * <p>Tablets and all above them may call it. It may touch data files and versions of rows.
 */
@NullMarked
package io.stele.engine.index;

import org.jspecify.annotations.NullMarked;
