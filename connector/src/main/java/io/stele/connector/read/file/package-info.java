/**
 * Column files on a worker: the file metadata cache, prefetch, and the sources that ORC readers
 * read from. May be called by {@code read.opening}, {@code read.cache}, {@code write}, {@code
 * metadata.system} and the root package. May touch {@code sidecar}, {@code handle} and {@code
 * type}, and no other package of {@code read}.
 */
@NullMarked
package io.stele.connector.read.file;

import org.jspecify.annotations.NullMarked;
