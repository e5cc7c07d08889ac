/**
 * Lookups of the inner side of Trino's index joins. May be called by the root package alone. May
 * touch {@code read.live}, {@code handle} and {@code type}.
 */
@NullMarked
package io.stele.connector.read.lookup;

import org.jspecify.annotations.NullMarked;
