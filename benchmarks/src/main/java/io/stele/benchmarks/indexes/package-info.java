/** The cost of secondary indexes for writers. */
@NullMarked
package io.stele.benchmarks.indexes;

import org.jspecify.annotations.NullMarked;
