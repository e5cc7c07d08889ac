/**
 * The file formats of Stele's own: checksummed block files, row shard files, key index files,
 * delete vectors.
 */
@NullMarked
package io.stele.storage.format;

import org.jspecify.annotations.NullMarked;
