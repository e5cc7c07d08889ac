/**
 * The decoded-column cache and the filtered-rows cache of a worker, with their page sources. May be
 * called by {@code read.opening}, {@code metadata.system} and the root package. May touch {@code
 * read.file}, {@code read.page}, {@code read.prune}, {@code handle} and {@code type}.
 */
@NullMarked
package io.stele.connector.read.cache;

import org.jspecify.annotations.NullMarked;
