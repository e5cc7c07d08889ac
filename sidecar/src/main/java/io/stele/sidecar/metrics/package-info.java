/** The sidecar's metrics, exported through JMX and OpenMetrics. */
@NullMarked
package io.stele.sidecar.metrics;

import org.jspecify.annotations.NullMarked;
