/** The cost of planning a query over many files. */
@NullMarked
package io.stele.benchmarks.planning;

import org.jspecify.annotations.NullMarked;
