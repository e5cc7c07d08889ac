/**
 * Writing of tables: rows through Paimon's writers on the workers, one commit on the coordinator.
 *
 * <p>May be called by {@code metadata} and {@code procedure}. May touch {@code read}, {@code table}
 * and all below.
 */
@NullMarked
package io.stele.paimon.write;

import org.jspecify.annotations.NullMarked;
