/** Durable ingest beside RocksDB. */
@NullMarked
package io.stele.benchmarks.ingest;

import org.jspecify.annotations.NullMarked;
