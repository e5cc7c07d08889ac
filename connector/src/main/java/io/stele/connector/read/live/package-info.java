/**
 * Streams of rows that only a sidecar has: live rows, changes, lookups, aggregates. May be called
 * by {@code read.opening}, {@code read.lookup} and the root package. May touch {@code read.page},
 * {@code read.prune}, {@code sidecar}, {@code handle} and {@code type}.
 */
@NullMarked
package io.stele.connector.read.live;

import org.jspecify.annotations.NullMarked;
