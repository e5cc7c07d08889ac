/** Point reads by key, beside RocksDB in the same process, and end to end through the client. */
@NullMarked
package io.stele.benchmarks.get;

import org.jspecify.annotations.NullMarked;
