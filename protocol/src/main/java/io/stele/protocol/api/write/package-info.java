/**
 * Actions on transactions, targets of puts and files that callers wrote.
 *
 * <p>Clients, the connector and the sidecar may call it. It touches the topic catalog, and
 * predicates of module protocol.
 */
@NullMarked
package io.stele.protocol.api.write;

import org.jspecify.annotations.NullMarked;
