/**
 * The coordinator's cache of relations, and the stream that keeps it current. May be called by the
 * other packages of {@code metadata} but {@code metadata.catalog}, and by the root package. May
 * touch {@code metadata.catalog}, {@code sidecar} and {@code config}.
 */
@NullMarked
package io.stele.connector.metadata.cache;

import org.jspecify.annotations.NullMarked;
