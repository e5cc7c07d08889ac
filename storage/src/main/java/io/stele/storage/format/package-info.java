/**
 * Stele's own file formats: checksummed block files, SST files, key index files, deletion vectors.
 */
@NullMarked
package io.stele.storage.format;

import org.jspecify.annotations.NullMarked;
