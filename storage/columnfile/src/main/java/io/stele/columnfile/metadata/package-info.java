/**
 * What is stored of a column file beside its values: checksums, metadata, sketches of columns.
 *
 * <p>Readers and writers of column files may call it. It may touch {@code bytes} and object stores.
 */
@NullMarked
package io.stele.columnfile.metadata;

import org.jspecify.annotations.NullMarked;
