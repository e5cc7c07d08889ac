/**
 * The merging of sorted rows of files whose ranges of keys overlap, on Trino's pages.
 *
 * <p>May be called by {@code read} and {@code plan}. May touch {@code error}, {@code handle} and
 * {@code type}.
 */
@NullMarked
package io.stele.paimon.merge;

import org.jspecify.annotations.NullMarked;
