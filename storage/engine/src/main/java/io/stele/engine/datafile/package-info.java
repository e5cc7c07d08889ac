/**
 * Deletion vectors of column files.
 *
 * <p>Tablets and all above them may call it. It may touch files of blocks.
 */
@NullMarked
package io.stele.engine.datafile;

import org.jspecify.annotations.NullMarked;
