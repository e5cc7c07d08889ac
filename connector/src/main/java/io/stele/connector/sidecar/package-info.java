/** The connector's view of a sidecar: discovery, requests, snapshots and streams. */
@NullMarked
package io.stele.connector.sidecar;

import org.jspecify.annotations.NullMarked;
