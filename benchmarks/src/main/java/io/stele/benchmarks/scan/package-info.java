/** TPC-H scans beside Iceberg. */
@NullMarked
package io.stele.benchmarks.scan;

import org.jspecify.annotations.NullMarked;
