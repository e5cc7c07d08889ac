/**
 * Metadata images: the data files of a table at one snapshot in memory, advanced by delta
 * manifests, and the lease of a table's latest snapshot.
 *
 * <p>May be called by {@code metadata}, {@code plan} and {@code read}. May touch {@code error},
 * {@code handle} and {@code store}.
 */
@NullMarked
package io.stele.paimon.image;

import org.jspecify.annotations.NullMarked;
