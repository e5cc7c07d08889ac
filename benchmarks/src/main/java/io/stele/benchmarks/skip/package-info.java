/** The savings of queries by the physical design of column files. */
@NullMarked
package io.stele.benchmarks.skip;

import org.jspecify.annotations.NullMarked;
