/**
 * The planning of scans, on the coordinator: from a constraint to files, and from files to splits.
 *
 * <p>May be called by the root package. May touch {@code config}, {@code error}, {@code handle},
 * {@code image}, {@code merge}, {@code read}, {@code table} and {@code type}.
 */
@NullMarked
package io.stele.paimon.plan;

import org.jspecify.annotations.NullMarked;
