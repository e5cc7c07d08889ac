/**
 * The sinks: rows visible at once, rows committed with checkpoints, and rows that replace others.
 *
 * <p>The root calls it. It touches options, types, tables and the client.
 */
@NullMarked
package io.stele.flink.sink;

import org.jspecify.annotations.NullMarked;
