/** Aggregations of few groups, beside Iceberg. */
@NullMarked
package io.stele.benchmarks.aggregates;

import org.jspecify.annotations.NullMarked;
