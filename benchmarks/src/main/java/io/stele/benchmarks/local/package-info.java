/** Stele's engine in the benchmark's own process, for what a client cannot see. */
@NullMarked
package io.stele.benchmarks.local;

import org.jspecify.annotations.NullMarked;
