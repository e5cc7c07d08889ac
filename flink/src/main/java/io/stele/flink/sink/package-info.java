/**
 * The two sinks: rows visible at once, and rows committed with checkpoints.
 *
 * <p>The root calls it. It touches options, types, tables and the client.
 */
@NullMarked
package io.stele.flink.sink;

import org.jspecify.annotations.NullMarked;
