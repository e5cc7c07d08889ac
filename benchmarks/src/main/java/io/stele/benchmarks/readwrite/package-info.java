/** Analytical scans beside writers of the same table. */
@NullMarked
package io.stele.benchmarks.readwrite;

import org.jspecify.annotations.NullMarked;
