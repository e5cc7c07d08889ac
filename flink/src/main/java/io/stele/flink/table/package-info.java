/**
 * The tables as Flink statements declare them, checked against the sidecar's tables, and
 * conversions of their rows.
 *
 * <p>Sinks, lookups, sources and the root call it. It touches options and types.
 */
@NullMarked
package io.stele.flink.table;

import org.jspecify.annotations.NullMarked;
