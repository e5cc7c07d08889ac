/** What all caches together are worth. */
@NullMarked
package io.stele.benchmarks.raptorx;

import org.jspecify.annotations.NullMarked;
