/**
 * Tables that show the state of the system: {@code t$files} and its like, and the schema {@code
 * system}. May be called by {@code metadata} and the root package. May touch {@code
 * metadata.catalog}, {@code sidecar}, {@code type}, and the statistics of all caches of the
 * connector.
 */
@NullMarked
package io.stele.connector.metadata.system;

import org.jspecify.annotations.NullMarked;
