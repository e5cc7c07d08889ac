/** One consumer of a table's changes, and what feeds cost writers. */
@NullMarked
package io.stele.benchmarks.changes;

import org.jspecify.annotations.NullMarked;
