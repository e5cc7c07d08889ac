/**
 * The splits of a scan: files, live rows or a lookup, by pruning and cost, on the coordinator. May
 * be called by the root package alone. May touch {@code metadata}, {@code metadata.plan}, {@code
 * read.opening}, {@code read.prune}, {@code read.affinity} and {@code sidecar}.
 */
@NullMarked
package io.stele.connector.read.split;

import org.jspecify.annotations.NullMarked;
