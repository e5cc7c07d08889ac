/** What it costs to plan a query over many files. */
@NullMarked
package io.stele.benchmarks.planning;

import org.jspecify.annotations.NullMarked;
