/**
 * A program that runs a file of SQL statements on a Flink cluster.
 *
 * <p>{@code flink run} calls it. It touches nothing else of this module.
 */
@NullMarked
package io.stele.flink.script;

import org.jspecify.annotations.NullMarked;
