/** How long a sidecar takes to serve again after it was killed. */
@NullMarked
package io.stele.benchmarks.recovery;

import org.jspecify.annotations.NullMarked;
