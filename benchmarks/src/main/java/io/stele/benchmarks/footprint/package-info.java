/** The cost of a warehouse at rest: bytes, objects and requests compared with Iceberg's. */
@NullMarked
package io.stele.benchmarks.footprint;

import org.jspecify.annotations.NullMarked;
