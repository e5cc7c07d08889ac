/**
 * The Arrow Flight server, and the services of its methods: bulk ingest, scans, actions and
 * handshakes over gRPC.
 *
 * <p>The root calls it. It may touch actions, the engine, scheduling, and Flight SQL.
 */
@NullMarked
package io.stele.sidecar.flight;

import org.jspecify.annotations.NullMarked;
