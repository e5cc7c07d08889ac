/**
 * The gRPC interceptors, tracers and connection limits that a Flight call passes before its
 * service: authentication, identity, headers, and memory for its request.
 *
 * <p>The Flight server, its services and the actions may call it. It may touch gRPC, authentication
 * and the engine's memory budgets; never tables.
 */
@NullMarked
package io.stele.sidecar.flight.call;

import org.jspecify.annotations.NullMarked;
