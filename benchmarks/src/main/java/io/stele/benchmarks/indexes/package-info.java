/** What secondary indexes cost those who write. */
@NullMarked
package io.stele.benchmarks.indexes;

import org.jspecify.annotations.NullMarked;
