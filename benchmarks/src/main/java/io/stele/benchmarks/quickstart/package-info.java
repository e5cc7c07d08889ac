/** The show of {@code bin/stele quickstart}. */
@NullMarked
package io.stele.benchmarks.quickstart;

import org.jspecify.annotations.NullMarked;
