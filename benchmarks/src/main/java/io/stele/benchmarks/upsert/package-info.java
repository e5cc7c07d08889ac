/** Upserts into a large column tablet beside appends, and scans of files with deleted rows. */
@NullMarked
package io.stele.benchmarks.upsert;

import org.jspecify.annotations.NullMarked;
