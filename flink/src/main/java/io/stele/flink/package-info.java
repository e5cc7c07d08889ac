/**
 * The Flink connector: its factory, and what the planner asks of its tables.
 *
 * <p>Flink calls it. It touches all packages of this module.
 */
@NullMarked
package io.stele.flink;

import org.jspecify.annotations.NullMarked;
