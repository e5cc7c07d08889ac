/**
 * A program that runs a file of SQL statements on a cluster.
 *
 * <p>Nobody here calls it; {@code flink run} does. It touches nothing else of this module.
 */
@NullMarked
package io.stele.flink.script;

import org.jspecify.annotations.NullMarked;
