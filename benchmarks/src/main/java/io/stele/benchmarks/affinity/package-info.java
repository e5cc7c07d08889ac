/** Scans by several workers, and which of them read and cache which files. */
@NullMarked
package io.stele.benchmarks.affinity;

import org.jspecify.annotations.NullMarked;
