/**
 * Column files: plain ORC, written from and read back to binary rows.
 *
 * <p>The engine and the connector may call it. It may touch ORC, of Hadoop what ORC is made of, and
 * the packages beside it.
 */
@NullMarked
package io.stele.columnfile.orc;

import org.jspecify.annotations.NullMarked;
