/**
 * Page sinks on workers: rows into the log, or sorted files into the warehouse. May be called by
 * {@code metadata.transaction} and the root package. May touch {@code read.file}, {@code sidecar},
 * {@code handle} and {@code type}.
 */
@NullMarked
package io.stele.connector.write;

import org.jspecify.annotations.NullMarked;
