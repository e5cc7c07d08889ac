/** Jobs of Flink that write and look up, on a cluster of processes. */
@org.jspecify.annotations.NullMarked
package io.stele.benchmarks.flink;
