/**
 * The files of a table, open for reading: SST files, and column files with their deletion vectors
 * and key indexes.
 *
 * <p>Indexes, tablets and all above them may call it. It may touch manifests, versions of rows and
 * files.
 */
@NullMarked
package io.stele.engine.datafile;

import org.jspecify.annotations.NullMarked;
