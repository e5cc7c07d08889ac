/** What a warehouse costs at rest: bytes, objects and requests beside Iceberg's. */
@NullMarked
package io.stele.benchmarks.footprint;

import org.jspecify.annotations.NullMarked;
