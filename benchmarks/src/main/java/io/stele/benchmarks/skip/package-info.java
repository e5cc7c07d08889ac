/** What the physical design of column files saves a query. */
@NullMarked
package io.stele.benchmarks.skip;

import org.jspecify.annotations.NullMarked;
