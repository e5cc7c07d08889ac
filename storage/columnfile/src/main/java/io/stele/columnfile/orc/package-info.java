/**
 * The readers of column files (plain ORC): cursors, batches, decoded chunks and single rows, and
 * the schemas and metadata that readers and the writer share.
 *
 * <p>The engine and the connector may call it. It may touch ORC, of Hadoop what ORC is made of, and
 * the packages beside it; never {@code write}.
 */
@NullMarked
package io.stele.columnfile.orc;

import org.jspecify.annotations.NullMarked;
