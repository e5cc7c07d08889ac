/** The reader of Apache Paimon's lakes, beside Paimon's own library and Iceberg. */
@NullMarked
package io.stele.benchmarks.paimon;

import org.jspecify.annotations.NullMarked;
