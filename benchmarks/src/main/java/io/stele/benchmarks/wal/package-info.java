/** What an acknowledgement costs, by where the write-ahead log is. */
@NullMarked
package io.stele.benchmarks.wal;

import org.jspecify.annotations.NullMarked;
