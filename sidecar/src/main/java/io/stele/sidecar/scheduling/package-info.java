/**
 * The sharing of the sidecar by reads: scheduling groups and the queries in them, their limits, and
 * lookups in the latency class.
 */
@NullMarked
package io.stele.sidecar.scheduling;

import org.jspecify.annotations.NullMarked;
