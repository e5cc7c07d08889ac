/**
 * Actions that plan and estimate scans, tickets of scans, and metadata of their files.
 *
 * <p>Clients, the connector and the sidecar may call it, and the topic snapshot. It touches
 * schemas, predicates and aggregates of module protocol.
 */
@NullMarked
package io.stele.protocol.api.scan;

import org.jspecify.annotations.NullMarked;
