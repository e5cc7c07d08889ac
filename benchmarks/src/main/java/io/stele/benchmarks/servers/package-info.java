/** Servers as processes of their own, and what the quickstart and the benchmarks ask of them. */
@NullMarked
package io.stele.benchmarks.servers;

import org.jspecify.annotations.NullMarked;
