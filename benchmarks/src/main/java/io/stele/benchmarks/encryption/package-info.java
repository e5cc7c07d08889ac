/** What encryption at rest costs: {@code bin/stele bench encryption}. */
@NullMarked
package io.stele.benchmarks.encryption;

import org.jspecify.annotations.NullMarked;
