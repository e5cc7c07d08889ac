/**
 * Metadata images
 *
 * <p>the files of a snapshot in memory, advanced by delta manifests.:May be called by the planning
 * of scans. May touch {@code store}.
 */
@NullMarked
package io.stele.paimon.image;

import org.jspecify.annotations.NullMarked;
