/**
 * Files of sorted entries in checksummed blocks: key indexes and bitmap indexes of column files,
 * and the SST files of row tablets, which a bitmap index is one of.
 *
 * <p>Readers and writers of column files and the engine may call it. It may touch {@code bytes},
 * object stores and caches; never ORC.
 */
@NullMarked
package io.stele.columnfile.index;

import org.jspecify.annotations.NullMarked;
