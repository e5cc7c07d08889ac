/** All queries of TPC-H beside Iceberg. */
@NullMarked
package io.stele.benchmarks.tpch;

import org.jspecify.annotations.NullMarked;
