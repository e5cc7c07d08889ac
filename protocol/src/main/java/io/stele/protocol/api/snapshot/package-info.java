/**
 * Actions that open, renew and close leased snapshots, with their requests and replies.
 *
 * <p>Clients, the connector and the sidecar may call it, and the framed protocol. It touches the
 * topics catalog and scan.
 */
@NullMarked
package io.stele.protocol.api.snapshot;

import org.jspecify.annotations.NullMarked;
