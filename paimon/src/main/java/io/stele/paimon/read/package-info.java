/**
 * Page sources over data files, on workers.
 *
 * <p>May be called by the root package, {@code metadata}, {@code plan} and {@code write}. May touch
 * {@code config}, {@code error}, {@code handle}, {@code image}, {@code merge}, {@code store},
 * {@code table} and {@code type}.
 */
@NullMarked
package io.stele.paimon.read;

import org.jspecify.annotations.NullMarked;
