/**
 * The tables of a lake as Paimon's library has them, pinned to a schema.
 *
 * <p>May be called by {@code metadata}, {@code plan}, {@code read} and {@code write}. May touch
 * {@code error}, {@code handle} and {@code store}.
 */
@NullMarked
package io.stele.paimon.table;

import org.jspecify.annotations.NullMarked;
