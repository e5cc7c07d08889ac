/** The time until a killed sidecar serves again. */
@NullMarked
package io.stele.benchmarks.recovery;

import org.jspecify.annotations.NullMarked;
