/**
 * The writer of column files: rows or copied columns in, plain ORC with statistics and sketches
 * out.
 *
 * <p>The engine may call it, and front ends that write files of bulk loads. It may touch ORC,
 * object stores and the packages of readers.
 */
@NullMarked
package io.stele.columnfile.orc.write;

import org.jspecify.annotations.NullMarked;
