/**
 * Procedures: {@code CALL system...} and {@code ALTER TABLE ... EXECUTE}. May be called by {@code
 * metadata} and the root package. May touch {@code metadata.catalog}, the caches of {@code
 * metadata}, {@code sidecar} and {@code handle}.
 */
@NullMarked
package io.stele.connector.metadata.procedure;

import org.jspecify.annotations.NullMarked;
