/**
 * The coordinator's cache of relations, and the stream that keeps it current. May be called by
 * {@code metadata} and the root package. May touch {@code metadata.catalog}, {@code sidecar} and
 * {@code config}.
 */
@NullMarked
package io.stele.connector.metadata.cache;

import org.jspecify.annotations.NullMarked;
