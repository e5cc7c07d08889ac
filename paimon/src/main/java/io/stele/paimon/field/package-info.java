/**
 * Fields inside row columns as columns of scans: which columns are read for them, and how pages of
 * fields come out of pages of columns.
 *
 * <p>May be called by the readers and all packages above them. May touch {@code handle} and {@code
 * type}.
 */
@NullMarked
package io.stele.paimon.field;

import org.jspecify.annotations.NullMarked;
