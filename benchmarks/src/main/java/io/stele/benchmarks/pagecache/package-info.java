/** Hits, misses, heap and restarts of the page cache, over both of its stores. */
@NullMarked
package io.stele.benchmarks.pagecache;

import org.jspecify.annotations.NullMarked;
