/** Scans of tables on an object store whose data is nowhere near yet, and again. */
@NullMarked
package io.stele.benchmarks.coldscan;

import org.jspecify.annotations.NullMarked;
