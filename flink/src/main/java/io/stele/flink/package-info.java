/**
 * The Flink connector's factory, and the table sources and sinks that the planner works with.
 *
 * <p>Flink calls it. It touches all packages of this module.
 */
@NullMarked
package io.stele.flink;

import org.jspecify.annotations.NullMarked;
