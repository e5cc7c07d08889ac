/** The cost of encryption at rest: {@code bin/stele bench encryption}. */
@NullMarked
package io.stele.benchmarks.encryption;

import org.jspecify.annotations.NullMarked;
