/** Servers as processes of their own, with the requests of the quickstart and the benchmarks. */
@NullMarked
package io.stele.benchmarks.servers;

import org.jspecify.annotations.NullMarked;
