/** The effect of all caches together. */
@NullMarked
package io.stele.benchmarks.raptorx;

import org.jspecify.annotations.NullMarked;
