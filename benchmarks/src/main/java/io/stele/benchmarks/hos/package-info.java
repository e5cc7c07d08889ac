/** The scheduler: its costs, its fairness and its latency. */
@NullMarked
package io.stele.benchmarks.hos;

import org.jspecify.annotations.NullMarked;
