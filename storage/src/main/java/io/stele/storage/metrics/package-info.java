/** Marker types that describe metrics. Any package may use it; it depends on none. */
@NullMarked
package io.stele.storage.metrics;

import org.jspecify.annotations.NullMarked;
