/** Bytes written for each byte that comes in. */
@NullMarked
package io.stele.benchmarks.writeamp;

import org.jspecify.annotations.NullMarked;
