/** Benchmarks and the quickstart; sees every floor, seen by none. */
@NullMarked
package io.stele.benchmarks;

import org.jspecify.annotations.NullMarked;
