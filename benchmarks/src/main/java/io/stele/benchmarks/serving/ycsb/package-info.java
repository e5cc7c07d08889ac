/** Bindings of YCSB, which {@code site.ycsb.Client} loads by name in a process of its own. */
@NullMarked
package io.stele.benchmarks.serving.ycsb;

import org.jspecify.annotations.NullMarked;
