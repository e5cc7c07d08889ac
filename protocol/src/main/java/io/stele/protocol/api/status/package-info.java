/**
 * Actions that report how a sidecar, its caches and its threads are doing.
 *
 * <p>Clients, the connector and the sidecar may call it. It touches no other topic.
 */
@NullMarked
package io.stele.protocol.api.status;

import org.jspecify.annotations.NullMarked;
