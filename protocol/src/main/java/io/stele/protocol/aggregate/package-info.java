/** Aggregations that a sidecar computes for a reader. */
@NullMarked
package io.stele.protocol.aggregate;

import org.jspecify.annotations.NullMarked;
