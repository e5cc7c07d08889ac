/**
 * Leases on snapshots: opened, renewed in time and closed in one way for all that read them.
 *
 * <p>Change feeds and front ends call it. It touches the Flight client and the protocol.
 */
@NullMarked
package io.stele.client.lease;

import org.jspecify.annotations.NullMarked;
