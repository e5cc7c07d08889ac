/** The cost of an acknowledgement, by the place of the write-ahead log. */
@NullMarked
package io.stele.benchmarks.wal;

import org.jspecify.annotations.NullMarked;
