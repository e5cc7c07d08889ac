/**
 * Leases: values that other clients change, checked in the background, so that queries read them
 * without a request.
 *
 * <p>May be called by {@code image} and {@code metadata}. Touches no other package.
 */
@NullMarked
package io.stele.paimon.lease;

import org.jspecify.annotations.NullMarked;
