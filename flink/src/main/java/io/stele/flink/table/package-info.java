/**
 * Tables as a statement of Flink declares them, checked against what the sidecar has.
 *
 * <p>Sink, lookups, scans and the root call it. It touches options and types.
 */
@NullMarked
package io.stele.flink.table;

import org.jspecify.annotations.NullMarked;
