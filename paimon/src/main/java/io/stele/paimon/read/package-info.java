/**
 * Page sources over data files, on workers.
 *
 * <p>May be called by the root package. May touch {@code handle}, {@code store} and {@code type}.
 */
@NullMarked
package io.stele.paimon.read;

import org.jspecify.annotations.NullMarked;
